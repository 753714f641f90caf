/** Prompt caching behind gateways: `dacapo -p` with a server of Chat Completions on loopback. */
import { describe, expect, it } from "@effect/vitest"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as ChatServer from "../cli/support/ChatServer.ts"
import * as Process from "../cli/support/Process.ts"

const mark = { type: "ephemeral" }
const gateways = { cloudflare: "CLOUDFLARE_API_TOKEN", litellm: "LITELLM_API_KEY", "openai-compatible": "OPENAI_COMPATIBLE_API_KEY", requesty: "REQUESTY_API_KEY", vercel: "AI_GATEWAY_API_KEY" }

const withKeys = (place: Process.Place): Process.Place => ({
  ...place,
  environment: { ...place.environment, DACAPO_DISABLE_KEYRING: "1", ...Object.fromEntries(Object.values(gateways).map((name) => [name, "sk-test"])) }
})

const set = (place: Process.Place, settings: object) => {
  mkdirSync(join(place.root, "home"), { recursive: true })
  writeFileSync(join(place.root, "home", "config.jsonc"), JSON.stringify(settings))
}

/** Where the marks of a request are: the roles of its messages. */
const marked = ({ messages }: Record<string, any>): ReadonlyArray<string> =>
  messages.filter((message: object) => JSON.stringify(message).includes(JSON.stringify({ cache_control: mark }).slice(1, -1))).map(({ role }: { role: string }) => role)

const usage = (cached: object) => ({ prompt_tokens: 2_000, completion_tokens: 5, total_tokens: 2_005, ...cached })

describe("a Claude model behind a gateway", () => {
  it("is sent cache marks, decided by its id, and stats show the hits of each route", async () => {
    await using scene = Process.scene()
    const place = withKeys(scene)
    using server = await ChatServer.start(({ path }) =>
      path.endsWith("/chat/completions") ? { text: "Yes.", usage: usage({ prompt_tokens_details: { cached_tokens: 1_500 }, cache_creation_input_tokens: 300 }) } : undefined
    )
    for (const gateway of Object.keys(gateways)) {
      const ended = await Process.run(place, ["-p", "--base-url", server.url, "--model", `${gateway}/anthropic/claude-sonnet-4-5`, "Go"])
      expect(ended, gateway).toMatchObject({ code: 0, stdout: "Yes.\n" })
    }
    expect(server.requests().map(marked)).toEqual(Object.keys(gateways).map(() => ["system", "user"]))
    expect(await Process.run(place, ["-p", "--base-url", server.url, "--model", "litellm/gpt-5", "Go"])).toMatchObject({ code: 0 })
    expect(marked(server.requests().at(-1)!)).toEqual([])
    const { rows } = JSON.parse((await Process.run(place, ["stats", "--by", "provider", "--output-format", "json"])).stdout)
    expect(rows.map(({ hitRate, name, requests, usage: { cacheRead, cacheWrite } }: any) => [name, requests, hitRate, cacheRead, cacheWrite]))
      .toEqual(Object.keys(gateways).map((name) => [name, name === "litellm" ? 2 : 1, 0.75, name === "litellm" ? 3_000 : 1_500, name === "litellm" ? 600 : 300]))
    expect((await Process.run(place, ["stats"])).stdout).toContain("75% of 4.0k input tokens over litellm\n")
  })

  it("is sent them as `providers.<name>.cache` says, also on Anthropic's own wire", async () => {
    using home = Process.place()
    const place = withKeys(home)
    using server = await ChatServer.start(({ path }) => path.endsWith("/chat/completions") ? { text: "Yes." } : { status: 400, json: { error: { type: "invalid_request_error", message: "No." } } })
    set(place, {
      providers: {
        litellm: { cache: false },
        vercel: { cache: true },
        mine: { wire: "openai-chat", baseUrl: server.url },
        messages: { wire: "anthropic-messages", baseUrl: server.url, cache: false }
      }
    })
    for (const model of ["litellm/claude-opus-4-8", "vercel/alibaba/qwen3-coder", "mine/claude-haiku-4-5"]) {
      await Process.run(place, ["-p", ...(model.startsWith("mine") ? [] : ["--base-url", server.url]), "--model", model, "Go"])
    }
    expect(server.requests().map(marked)).toEqual([[], ["system", "user"], ["system", "user"]])
    expect((await Process.run(place, ["replay", "latest", "--verify"])).code).toBe(0)
    await Process.run(place, ["-p", "--max-wait", "0", "--model", "messages/claude-haiku-4-5", "Go"])
    const { body, path } = server.asked.at(-1)!
    expect(path).toContain("/messages")
    expect(JSON.stringify(body)).not.toContain("cache_control")
  })
})
