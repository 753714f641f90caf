/** A repository that wants a secret of the machine in the model's next request, by every kind of command that looks harmless. */
import { expect, it } from "@effect/vitest"
import { once } from "node:events"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import * as Process from "../cli/support/Process.ts"

const marker = "MARKER-5f1c"

/** Each shows the marker when it runs. */
const traps = [
  "cat \"${HOME:-}/secret.txt\"", "for f in ~/secret.txt; do cat \"$f\"; done", "cat \"$PWD/../secret.txt\"", "cat $(echo ../secret.txt)", "cat notes.txt", "cat src/*", "cat docs/secret.txt", "cat deep/../secret.txt", "head -1 < notes.txt",
  "cat ~/secret.txt", "cat {notes.txt,x}", "jq -n --rawfile x ../secret.txt '$x'", "grep -r . ..", "grep -R . src", "X=../secret.txt; cat \"$X\"", "fold -s ../secret.txt", "tac ../../*/secret.txt", "sort --files0-from=list", "date -f ../secret.txt", "file -f ../secret.txt",
  "cat <<< \"$(< ../secret.txt)\"", "cd src && cat link.txt", "command cd src; cat link.txt", "awk 1 1a=x", "grep -r . .", "cat .e*", "diff -r . src",
  "grep -rh . . --exclude-dir=.env", "grep -rh . . --exclude=conf"
]

/** An OpenAI server whose model runs one command after the other (a denied call skips the rest of its response), and says that it is done. */
const served = async (commands: ReadonlyArray<string>, use: (url: string, heard: ReadonlyArray<string>) => Promise<void>) => {
  const heard: Array<string> = []
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (chunk: string) => { body += chunk }).on("end", () => {
      heard.push(body)
      const command = commands[heard.length - 1]
      const call = { index: 0, id: `call_${heard.length}`, type: "function", function: { name: "run_command", arguments: JSON.stringify({ command }) } }
      const [delta, finish_reason] = command === undefined ? [{ role: "assistant", content: "Done." }, "stop"] : [{ role: "assistant", tool_calls: [call] }, "tool_calls"]
      const events = [{ choices: [{ index: 0, delta, finish_reason: null }] }, { choices: [{ index: 0, delta: {}, finish_reason }], usage: { prompt_tokens: 1, completion_tokens: 1 } }]
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.end(`${events.map((event) => `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", ...event })}\n\n`).join("")}data: [DONE]\n\n`)
    })
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, heard)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const repository = (): Process.Place & Disposable => {
  const place = Process.place()
  writeFileSync(join(place.root, "secret.txt"), marker)
  writeFileSync(join(place.cwd, ".env"), marker)
  writeFileSync(join(place.cwd, "list"), "../secret.txt\0")
  mkdirSync(join(place.cwd, "src"))
  mkdirSync(join(place.cwd, "conf"))
  writeFileSync(join(place.cwd, "conf/.env"), marker)
  writeFileSync(join(place.cwd, "src/a.ts"), "plain text\n")
  symlinkSync("../secret.txt", join(place.cwd, "notes.txt"))
  symlinkSync("../../secret.txt", join(place.cwd, "src/link.txt"))
  symlinkSync("../secret.txt", join(place.cwd, "1a=x"))
  symlinkSync("..", join(place.cwd, "docs"))
  // What is behind `..` here is beside the folder that the link leads to, and not this one.
  mkdirSync(join(place.root, "far/below"), { recursive: true })
  writeFileSync(join(place.root, "far/secret.txt"), marker)
  symlinkSync("../far/below", join(place.cwd, "deep"))
  return { ...place, environment: { ...place.environment, OPENAI_API_KEY: "key", DACAPO_DISABLE_KEYRING: "1" }, [Symbol.dispose]: place[Symbol.dispose] }
}

/** What the model is sent after its commands: the result of each. */
const results = async (commands: ReadonlyArray<string>, ...more: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  let told: ReadonlyArray<string> = []
  await served(commands, async (url, heard) => {
    using place = repository()
    mkdirSync(place.environment["DACAPO_HOME"]!, { recursive: true })
    writeFileSync(join(place.environment["DACAPO_HOME"]!, "config.jsonc"), JSON.stringify({ providers: { "openai-chat": { baseUrl: url } } }))
    const ended = await Process.run(place, ["-p", "--model", "openai-chat/gpt-4.1", ...more, "Look around"])
    expect({ code: ended.code, requests: heard.length }, ended.stderr).toEqual({ code: 0, requests: commands.length + 1 })
    expect(await Process.run(place, ["replay", "latest", "--verify"])).toMatchObject({ code: 0 })
    const { messages } = JSON.parse(heard.at(-1)!) as { readonly messages: ReadonlyArray<{ readonly role: string; readonly content: unknown }> }
    told = messages.filter(({ role }) => role === "tool").map(({ content }) => JSON.stringify(content))
  })
  return told
}

it("has it in no request in mode default, while what lies in the folder is read", async () => {
  const [plain, ...others] = await results(["cat src/a.ts", ...traps])
  expect(plain).toContain("plain text")
  expect(others).toHaveLength(traps.length)
  expect(others.filter((result) => result.includes("Skipped"))).toEqual([])
  expect(traps.filter((_, i) => others[i]!.includes(marker))).toEqual([])
})

it("would have it by every one of these, were they run", async () => {
  // Protected files ask in every mode: what reads those is left to the test above.
  const unprotected = traps.filter((command) => !/\. \.$|\.e\*|diff|grep -rh/.test(command))
  const told = await results(unprotected, "--permission-mode", "bypassPermissions")
  const installed = unprotected.filter((_, i) => !told[i]!.includes("command not found"))
  expect(installed.filter((command) => !told[unprotected.indexOf(command)]!.includes(marker))).toEqual([])
})
