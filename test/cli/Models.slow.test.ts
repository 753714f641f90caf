/** Which models there are: the catalogue, renewed where one asks for it, and what local servers have. */
import { describe, expect, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { join } from "node:path"
import * as Process from "./support/Process.ts"

/** Answers by path; what is not there is 404. */
const serving = async (pages: Readonly<Record<string, unknown>>, use: (url: string) => Promise<void>) => {
  const server = http.createServer((request, response) => {
    const page = pages[request.url ?? ""]
    request.resume().on("end", () => response.writeHead(page === undefined ? 404 : 200, { "content-type": "application/json" }).end(JSON.stringify(page ?? {})))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

const api = {
  anthropic: {
    id: "anthropic",
    name: "Anthropic",
    models: {
      "claude-next": {
        id: "claude-next", name: "Claude Next", tool_call: true, reasoning: true, temperature: true, attachment: true, release_date: "2099-01-01",
        modalities: { input: ["text", "image"], output: ["text"] }, limit: { context: 500_000, output: 64_000 },
        cost: { input: 7, output: 35, cache_read: 0.7, context_over_200k: { input: 14, output: 70 } }, unheard_of: true
      },
      broken: { id: "broken" }
    }
  },
  google: { id: "google", models: { "gemini-next": { id: "gemini-next", name: "G", limit: { context: 1_000, output: 10 } } } }
}

const here = (place: Process.Place, variables: Readonly<Record<string, string>>): Process.Place & Disposable => ({
  ...place,
  environment: { ...place.environment, DACAPO_DISABLE_KEYRING: "1", ...variables },
  [Symbol.dispose]: () => {}
})

describe("dacapo models --refresh", () => {
  it("stores the newest catalogue in the cache, over the one that dacapo ships with", () =>
    serving({ "/api.json": api }, async (url) => {
      using place = Process.place()
      const run = here(place, { DACAPO_MODELS_URL: `${url}/api.json`, ANTHROPIC_API_KEY: "test-key" })
      const refreshed = await Process.run(run, ["models", "anthropic/claude-next", "--refresh", "--output-format", "json"])
      expect(refreshed).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Updated the model catalogue to \d{4}-\d\d-\d\d \([0-9a-f]{12}\)\.\n$/) })
      expect(JSON.parse(refreshed.stdout)).toEqual([expect.objectContaining({
        provider: "anthropic", id: "claude-next", window: 500_000, images: true,
        price: { input: 7, output: 35, cacheRead: 0.7, tiers: [{ above: 200_000, input: 14, output: 70 }] }
      })])
      // Without the server, and with what was there before.
      const again = await Process.run(here(place, {}), ["models"])
      expect(again.stdout).toContain("gemini/gemini-next")
      expect(again.stdout).toContain("anthropic/claude-sonnet-4-5 ")
      expect(again.stdout).not.toContain("anthropic/broken")
      // The log says which catalogue described its model.
      const ran = await Process.run(run, ["-p", "--base-url", url, "--model", "anthropic/claude-next", "--output-format", "events", "Go"])
      const started = JSON.parse(ran.stdout.split("\n")[0]!)
      expect(started.event.settings.model.catalogue).toContain(/\(([0-9a-f]{12})\)/.exec(refreshed.stderr)![1])
    }))

  it("reports a missing list, and keeps the current catalogue", () =>
    serving({ "/empty": {} }, async (url) => {
      using place = Process.place()
      expect(await Process.run(here(place, { DACAPO_MODELS_URL: `${url}/empty` }), ["models", "--refresh"])).toMatchObject({ code: 52, stderr: expect.stringContaining("not a list of models that dacapo can read") })
      expect(await Process.run(here(place, { DACAPO_MODELS_URL: `${url}/gone` }), ["models", "--refresh"])).toMatchObject({ code: 52, stderr: expect.stringContaining("status 404") })
      expect((await Process.run(here(place, {}), ["models", "sonnet"])).stdout).toContain("anthropic/claude-sonnet-4-5 ")
    }))

  it("ignores a damaged cache", async () => {
    using place = Process.place()
    const { mkdirSync, writeFileSync } = await import("node:fs")
    mkdirSync(join(place.root, "home", "cache"), { recursive: true })
    writeFileSync(join(place.root, "home", "cache", "models.json"), "{ \"date\": \"2099")
    expect((await Process.run(here(place, {}), ["models", "sonnet"])).stdout).toContain("anthropic/claude-sonnet-4-5 ")
    expect(readFileSync(join(place.root, "home", "cache", "models.json"), "utf8")).toContain("2099")
  })
})

describe("a local server", () => {
  it("has its models listed; an unknown model is rejected with similar names", () =>
    serving({ "/api/tags": { models: [{ name: "qwen3:8b" }, { name: "llama3:latest" }] } }, async (url) => {
      using place = Process.place()
      const run = here(place, { OLLAMA_BASE_URL: `${url}/v1` })
      const listed = await Process.run(run, ["models", "ollama"])
      expect(listed.stdout).toContain("ollama/qwen3:8b")
      expect(await Process.run(run, ["-p", "--model", "ollama/qwen3:7b", "Go"])).toMatchObject({ code: 52, stderr: expect.stringContaining("It has ollama/qwen3:8b, ollama/llama3:latest.") })
    }))
})

it("a provider at another address is listed with it, from the variable or the settings", async () => {
  using place = Process.place()
  const run = here(place, { ANTHROPIC_BASE_URL: "http://127.0.0.1:9", ANTHROPIC_API_KEY: "test-key" })
  expect((await Process.run(run, ["config", "set", "providers.openai.baseUrl", "http://127.0.0.1:7/v1"])).code).toBe(0)
  const { stdout } = await Process.run(run, ["models"])
  expect(stdout).toContain("Anthropic (anthropic/…) at http://127.0.0.1:9: key from ANTHROPIC_API_KEY")
  expect(stdout).toContain("OpenAI (openai/…) at http://127.0.0.1:7/v1: ")
  expect((await Process.run(run, ["doctor"])).stdout).toContain("anthropic: anthropic-messages at http://127.0.0.1:9, key from ANTHROPIC_API_KEY")
})

describe("a provider of the settings", () => {
  it("is used with its wire, address, key and models, and an unknown provider is refused with near names", async () => {
    const requests: Array<{ readonly url: string; readonly key: unknown; readonly model: unknown }> = []
    const server = http.createServer(async (request, response) => {
      const body = JSON.parse(await text(request)) as { readonly model: string }
      requests.push({ url: request.url ?? "", key: request.headers.authorization, model: body.model })
      response.writeHead(200, { "content-type": "text/event-stream" })
      const chunk = (delta: object, finish: string | null) => `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
      response.end(`${chunk({ content: "Done." }, null)}${chunk({}, "stop")}data: [DONE]\n\n`)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    try {
      using place = Process.place()
      const run = here(place, { TEAM_KEY: "team-key-12345" })
      const team = {
        wire: "openai-chat",
        baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
        keyEnv: "TEAM_KEY",
        models: { small: { window: 64_000, tools: true, price: { input: 1, output: 2 } } }
      }
      expect(await Process.run(run, ["config", "set", "providers.team", JSON.stringify(team)])).toMatchObject({ code: 0 })
      const ran = await Process.run(run, ["-p", "--model", "team/small", "--max-budget-usd", "1", "Go"])
      expect(ran).toMatchObject({ code: 0, stdout: "Done.\n" })
      expect(ran.stderr).not.toContain("not in the model catalogue")
      expect(requests).toEqual([{ url: "/v1/chat/completions", key: "Bearer team-key-12345", model: "small" }])
      const typo = await Process.run(run, ["config", "set", "providers.openay.baseUrl", "http://127.0.0.1:1/v1"])
      expect(typo).toMatchObject({ code: 52, stderr: expect.stringContaining("\"openay\" is not a provider. Did you mean openai") })
    } finally {
      server.close()
    }
  })
})

describe("a model without a catalogue entry", () => {
  it("works, with a note on what is assumed; it can't have a budget in USD", () =>
    serving({}, async (url) => {
      using place = Process.place()
      const run = here(place, { OPENAI_API_KEY: "test-key" })
      const ran = await Process.run(run, ["-p", "--base-url", `${url}/v1`, "--model", "openai-chat/of-my-own", "Go"])
      expect(ran.stderr).toContain("of-my-own is not in the model catalogue. Assuming a context window of 128k tokens, native tools, text only, and no price.")
      const refused = await Process.run(run, ["-p", "--base-url", `${url}/v1`, "--model", "openai-chat/of-my-own", "--max-budget-usd", "1", "Go"])
      expect(refused).toMatchObject({ code: 52, stderr: expect.stringContaining("no known price") })
      const typo = await Process.run(run, ["-p", "--model", "opnai/gpt-4.1", "Go"])
      expect(typo).toMatchObject({ code: 52, stderr: expect.stringContaining("Did you mean openai/gpt-4.1") })
    }))

  it("gets its tools as XML where its server refuses native ones: once, said, and kept when the session is resumed", async () => {
    const hasTools: Array<boolean> = []
    const server = http.createServer(async (request, response) => {
      if (request.method === "GET") return response.writeHead(404).end() // it has no list of models
      const body = JSON.parse(await text(request)) as { readonly tools?: unknown }
      hasTools.push(body.tools !== undefined)
      if (body.tools !== undefined) {
        response.writeHead(400, { "content-type": "application/json" })
        return response.end(JSON.stringify({ error: { message: "\"auto\" tool choice requires --enable-auto-tool-choice to be set", type: "BadRequestError" } }))
      }
      response.writeHead(200, { "content-type": "text/event-stream" })
      const chunk = (delta: object, finish: string | null) => `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
      response.end(`${chunk({ content: "Done." }, null)}${chunk({}, "stop")}data: [DONE]\n\n`)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    try {
      using place = Process.place()
      const run = here(place, {})
      const args = ["-p", "--base-url", `http://127.0.0.1:${port}/v1`]
      const first = await Process.run(run, [...args, "--model", "openai-compatible/some-model", "Go"])
      expect(first).toMatchObject({ code: 0, stdout: "Done.\n", stderr: expect.stringContaining("Describing tools as XML from now on.") })
      expect(await Process.run(run, [...args, "--continue", "Again"])).toMatchObject({ code: 0, stdout: "Done.\n" })
      expect(hasTools).toEqual([true, false, false])
    } finally {
      server.close()
    }
  })
})
