/** A newcomer's way, from `dacapo` to the first edit: with a local server and no key, or with a key in the environment. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync, writeFileSync } from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import * as Process from "../cli/support/Process.ts"
import * as Tmux from "../cli/support/Tmux.ts"
import { anthropic } from "../../src/layers/testing/servers/anthropic.ts"
import { openAiChat } from "../../src/layers/testing/servers/openAiChat.ts"
import * as Server from "../../src/layers/testing/servers/Server.ts"

/** Before the scripted server stands what a local one answers about its models. */
const local = (model: string, chat: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = http.createServer((request, response) => {
        if (request.url === "/v1/models") return void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ object: "list", data: [{ id: model, object: "model" }] }))
        if (request.method === "GET" || !request.url!.includes("/chat/completions")) return void response.writeHead(404).end()
        request.pipe(http.request(`${chat}${request.url}`, { method: "POST", headers: request.headers }, (answer) => {
          response.writeHead(answer.statusCode!, answer.headers)
          answer.pipe(response)
        }))
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return server
    }),
    (server) => Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    })
  )

const turns = [
  Server.ScriptedResponse.Says({ turn: { calls: [{ name: "read_file", params: { path: "hello.txt" } }] } }),
  Server.ScriptedResponse.Says({ turn: { calls: [{ name: "edit_file", params: { path: "hello.txt", old_text: "world", new_text: "reader" } }] } }),
  Server.ScriptedResponse.Says({ turn: { text: "It greets the reader now." } })
]

/** What a person decides on the way: what the screen shows, and the one key that answers it. */
type Decision = readonly [shows: string, key: string]

/** From the first start to the first edit: the prompt is typed, and each decision takes one key. Returns a recording of the keys. */
const firstEdit = async (place: Process.Place, environment: Readonly<Record<string, string>>, before: ReadonlyArray<Decision>, after: ReadonlyArray<Decision>) => {
  const recording: Array<readonly [key: string, ms: number]> = []
  const begun = performance.now()
  writeFileSync(join(place.cwd, "hello.txt"), "hello world\n")
  using terminal = Tmux.open(place, [], environment)
  const decide = async ([shows, key]: Decision) => {
    await terminal.shows(shows)
    await terminal.shows(/Enter to select|y  Yes/)
    terminal.press(key)
    recording.push([key, Math.round(performance.now() - begun)])
  }
  for (const decision of before) await decide(decision)
  await terminal.shows("Enter to send")
  terminal.type("greet the reader")
  terminal.press("Enter")
  for (const decision of after) await decide(decision)
  await terminal.shows("It greets the reader now.")
  expect(readFileSync(join(place.cwd, "hello.txt"), "utf8")).toBe("hello reader\n")
  return recording
}

const nowhere = Object.fromEntries(["OLLAMA", "LMSTUDIO", "LLAMACPP", "VLLM", "LITELLM"].map((name) => [`${name}_BASE_URL`, "http://127.0.0.1:9/v1"]))

it.effect("needs two keys besides the prompt with a local server: for the model, which is saved, and for the edit", () =>
  Effect.gen(function*() {
    const chat = yield* Server.start(openAiChat, turns)
    const server = yield* local("qwen3-coder", chat.url)
    const environment = { ...nowhere, VLLM_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` }
    yield* Effect.promise(async () => {
      using place = Process.place()
      const recording = await firstEdit(place, environment, [["› vllm/qwen3-coder (local)", "Enter"]], [["Edit hello.txt", "y"]])
      expect(recording.map(([key]) => key)).toEqual(["Enter", "y"])
      expect(JSON.parse(readFileSync(join(place.root, "home", "config.jsonc"), "utf8").replace(/^\/\/.*$/gm, ""))).toMatchObject({ model: "vllm/qwen3-coder" })
    })
  }).pipe(Effect.scoped))

it.effect("needs one key besides the prompt where an API key is set: for the edit", () =>
  Effect.gen(function*() {
    const { url } = yield* Server.start(anthropic, turns)
    yield* Effect.promise(async () => {
      using place = Process.place()
      const recording = await firstEdit(place, { ...nowhere, ANTHROPIC_API_KEY: "sk-ant-0123456789", ANTHROPIC_BASE_URL: url }, [], [["Edit hello.txt", "y"]])
      expect(recording.map(([key]) => key)).toEqual(["y"])
    })
  }).pipe(Effect.scoped))
