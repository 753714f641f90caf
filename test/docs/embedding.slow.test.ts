/** The programs of docs/embedding.md run as they stand, with a folder of ours, a model on loopback and the built package. */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

const text = readFileSync("docs/embedding.md", "utf8")
const programs = [...text.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = ""]) => code)
const isComplete = (code: string) => !code.includes("declare const")

/** What the model says to a request that contains a text. */
const answers: ReadonlyArray<readonly [request: string, answer: string]> = [
  ["Make the tests pass", "All pass."],
  ["Which of our components", "{\"component\":\"Basket\",\"file\":\"src/basket.js\"}"],
  ["Why does the build fail", "A type is missing."],
  ["How many tests fail", "{\"failing\":2}"]
]

/** What each program prints, by what only it contains. */
const outputs: ReadonlyArray<readonly [program: string, output: RegExp]> = [
  ["Make the tests pass", /^finished: All pass\.\n$/],
  ["screenshot.png", /^src\/basket\.js\n$/],
  ["const program = Effect.gen", /^A type is missing\.\n$/],
  ["Layer.isLayer(agent)", /^true\n$/],
  ["AgentLanguageModel.layer(options)", /^2\n$/],
  ["FunctionShell.layer", /^(?:✓ .+\n){10}$/]
]

/** A response of Anthropic's Messages API, as server-sent events. */
const events = (answer: string): string =>
  [
    { type: "message_start", message: { id: "m", type: "message", role: "assistant", model: "claude", content: [], stop_reason: null, usage: { input_tokens: 1, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: answer } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
    { type: "message_stop" }
  ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("")

describe("docs/embedding.md", () => {
  const folder = mkdtempSync(join(tmpdir(), "dacapo-embedding-"))
  let server: Server
  beforeAll(async () => {
    cpSync("examples/demo/project", join(folder, "project"), { recursive: true })
    writeFileSync(join(folder, "screenshot.png"), Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64"))
    server = createServer((request, response) => {
      let body = ""
      request.on("data", (part: Buffer) => body += part).on("end", () => {
        const [, answer] = answers.find(([asked]) => body.includes(asked)) ?? []
        if (answer === undefined) return response.writeHead(400).end("{}")
        response.writeHead(200, { "content-type": "text/event-stream" }).end(events(answer))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  })
  afterAll(() => {
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const complete = programs.filter(isComplete)

  it("has an expected output for each complete program, and an example for each fragment", () => {
    expect(outputs.map(([mark]) => complete.filter((code) => code.includes(mark)).length)).toEqual(complete.map(() => 1))
    const examples = [...text.matchAll(/\.\.\/(examples\/[\w-]+\.ts)/g)].map(([, file = ""]) => file)
    expect(examples.length).toBeGreaterThan(5)
    expect(examples.filter((file) => !existsSync(file))).toEqual([])
    for (const file of ["examples/ai-sdk.ts", "examples/replay-a-bug.ts"]) expect(examples).toContain(file)
    expect(programs.length - complete.length).toBe(2)
  })

  it.each(outputs)("the program with %s does what it says", async (mark, output) => {
    const code = complete.find((one) => one.includes(mark))!.replaceAll("/path/to/project", join(folder, "project")).replaceAll("screenshot.png", join(folder, "screenshot.png"))
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module-typescript", "-e", code], {
      env: {
        PATH: process.env["PATH"],
        HOME: folder,
        DACAPO_HOME: join(folder, "home"),
        ANTHROPIC_API_KEY: "key",
        ANTHROPIC_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      }
    })
    expect(stdout).toMatch(output)
  })
})
