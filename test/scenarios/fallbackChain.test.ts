/** Fallback models one after the other, through the command line and over HTTP on loopback. */
import { describe, expect, it } from "@effect/vitest"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { SessionEvent, Settled } from "../../src/domain/session/SessionEvent.ts"
import * as Process from "../cli/support/Process.ts"

interface Refusal {
  readonly status: number
  readonly error: { readonly message: string; readonly type?: string; readonly code?: string }
  readonly headers?: Readonly<Record<string, string>>
}

/** A server of Chat Completions that refuses some models, each in its way, and lets the others respond with their name. */
const serve = async (refusals: Readonly<Record<string, Refusal>>) => {
  const requested: Array<string> = []
  const server = http.createServer((request, response) => {
    const body: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => body.push(chunk)).on("end", () => {
      if (request.method !== "POST") return response.writeHead(404).end("{}")
      const { model } = JSON.parse(Buffer.concat(body).toString()) as { readonly model: string }
      requested.push(model)
      const refusal = refusals[model]
      if (refusal !== undefined) {
        return response.writeHead(refusal.status, { "content-type": "application/json", ...refusal.headers }).end(JSON.stringify({ error: refusal.error }))
      }
      const chunk = (delta: object, finish_reason: string | null, more: object = {}) =>
        `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", model, choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`
      const usage = { prompt_tokens: 2_000, completion_tokens: 5, total_tokens: 2_005 }
      response.writeHead(200, { "content-type": "text/event-stream" })
        .end(chunk({ role: "assistant", content: `${model} responds.` }, null) + chunk({}, "stop", { usage }) + "data: [DONE]\n\n")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    requested,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    [Symbol.dispose]: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}

const refusals: Readonly<Record<string, Refusal>> = {
  poor: { status: 429, error: { message: "You exceeded your current quota.", code: "insufficient_quota" } },
  locked: { status: 401, error: { message: "Incorrect API key provided.", code: "invalid_api_key" } },
  gone: { status: 404, error: { message: "The model does not exist.", code: "model_not_found" } },
  busy: { status: 503, error: { message: "Overloaded." }, headers: { "retry-after": "400" } },
  short: { status: 400, error: { message: "This model's maximum context length is exceeded.", code: "context_length_exceeded" } }
}

const model = (id: string) => `openai-compatible/${id}`

const keys = (place: Process.Place): Process.Place => ({
  ...place,
  environment: { ...place.environment, DACAPO_DISABLE_KEYRING: "1", OPENAI_COMPATIBLE_API_KEY: "sk-test", OPENAI_API_KEY: "sk-test" }
})

const taken = (stdout: string) =>
  stdout.split("\n").flatMap((line) => {
    const event: Settled | undefined = line.startsWith("{\"v\"") ? (JSON.parse(line) as SessionEvent).event : undefined
    return event?._tag === "FallbackTaken" ? [[event.place, event.model.id]] : []
  })

describe("--fallback-model a,b,c", () => {
  it("is taken on quota, overload, a refused key and an unknown model, with a notice each, and replays", async () => {
    await using scene = Process.scene()
    using server = await serve(refusals)
    const flags = ["--base-url", server.url, "--model", model("poor"), "--fallback-model", ["busy", "locked", "gone", "fine"].map(model).join(",")]
    const ended = await Process.run(keys(scene), ["-p", ...flags, "Go"])
    expect(ended).toMatchObject({ code: 0, stdout: "fine responds.\n" })
    expect(server.requested).toEqual(["poor", "busy", "locked", "gone", "fine"])
    const notices = ended.stderr.split("\n").flatMap((line) => /Switching to [^ ]*[^. ]/.exec(line)?.[0] ?? [])
    expect(notices).toEqual(["busy", "locked", "gone", "fine"].map((id) => `Switching to ${model(id)}`))
    const shown = await Process.run(keys(scene), ["sessions", "show", "latest", "--output-format", "events"])
    expect(taken(shown.stdout)).toEqual([[1, "busy"], [2, "locked"], [3, "gone"], [4, "fine"]])
  })

  it("comes from the settings as well, and skips models with too small a window", async () => {
    await using scene = Process.scene()
    using server = await serve(refusals)
    mkdirSync(join(scene.root, "home"), { recursive: true })
    writeFileSync(join(scene.root, "home", "config.jsonc"), JSON.stringify({ fallbackModel: [model("same"), "openai-chat/gpt-4.1"] }))
    const ended = await Process.run(keys(scene), ["-p", "--base-url", server.url, "--model", model("short"), "Go"])
    expect(ended).toMatchObject({ code: 0, stdout: "gpt-4.1 responds.\n" })
    expect(new Set(server.requested)).toEqual(new Set(["short", "gpt-4.1"]))
  })

  it("continues with a larger window when a message does not fit, before any request", async () => {
    await using scene = Process.scene()
    const small = join(scene.root, "small.json")
    writeFileSync(small, JSON.stringify({ model: { window: 10_000, maxOutput: 1_000 }, turns: [{ text: "Too small." }] }))
    const flags = ["--model", `scripted/${small}`, "--fallback-model", scene.script({ text: "It fits." })]
    const ended = await Process.run(keys(scene), ["-p", ...flags, "many words ".repeat(9_000)])
    expect(ended).toMatchObject({ code: 0, stdout: "It fits.\n" })
    expect(ended.stderr).toContain("Switching to scripted/")
  })
})
