/** What a session learns about a model server is used by later ones, and shown by `dacapo doctor`. */
import { describe, expect, it } from "@effect/vitest"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as ChatServer from "../cli/support/ChatServer.ts"
import { findings, withKeys } from "../cli/support/Doctor.ts"
import * as Process from "../cli/support/Process.ts"

describe("a server that refuses native tools", () => {
  it("is tried with them once, and later sessions begin with XML; --tool-format decides over both", async () => {
    await using scene = Process.scene()
    const place = withKeys(scene)
    using server = await ChatServer.start(({ body, path }) =>
      !path.endsWith("/chat/completions") ? undefined
        : body["tools"] === undefined ? { text: "Yes." }
        : { status: 400, json: { error: { message: "\"auto\" tool choice requires --enable-auto-tool-choice", type: "BadRequestError" } } }
    )
    const ask = async (...more: ReadonlyArray<string>) => {
      const before = server.requests().length
      const ended = await Process.run(place, ["-p", "--base-url", server.url, "--model", "openai-compatible/coder", ...more, "Go"])
      return { ...ended, tools: server.requests().slice(before).map(({ tools }) => tools === undefined ? "xml" : "native") }
    }
    const first = await ask()
    expect(first).toMatchObject({ code: 0, stdout: "Yes.\n", tools: ["native", "xml"] })
    expect(first.stderr).toContain("Describing tools as XML from now on.")
    const second = await ask()
    expect(second).toMatchObject({ code: 0, stdout: "Yes.\n", tools: ["xml"] })
    expect(second.stderr).toContain("tools as XML")
    expect((await ask("--model", "openai-compatible/other")).tools).toEqual(["native", "xml"])
    expect((await ask("--tool-format", "native")).tools[0]).toBe("native")
    const noted = (await findings(place, "tools")).map(({ detail }) => detail.replace(/until .*/, "")).toSorted()
    expect(noted).toEqual(["coder", "other"].map((id) => `openai-compatible/${id} at ${server.url} refused native tools: described as XML `))
  })
})

describe("the tool format", () => {
  it("stays while the model does, with another effort too; a flag and another model decide anew, when a session is resumed as well", async () => {
    await using scene = Process.scene()
    const place = withKeys(scene)
    using server = await ChatServer.start(({ path }) => path.endsWith("/chat/completions") ? { text: "Yes." } : undefined)
    const format = async (...args: ReadonlyArray<string>) => {
      const before = server.requests().length
      expect(await Process.run(place, ["-p", "--base-url", server.url, ...args, "Go"])).toMatchObject({ code: 0, stdout: "Yes.\n" })
      return server.requests().slice(before).map(({ tools }) => tools === undefined ? "xml" : "native")
    }
    const model = "openai-compatible/coder"
    expect(await format("--model", model, "--tool-format", "xml")).toEqual(["xml"])
    expect(await format("--continue")).toEqual(["xml"])
    expect(await format("--continue", "--effort", "high")).toEqual(["xml"])
    expect(await format("--continue", "--tool-format", "native")).toEqual(["native"])
    expect(await format("--continue", "--model", model)).toEqual(["native"])
    expect(await format("--continue", "--tool-format", "xml")).toEqual(["xml"])
    expect(await format("--continue", "--fork-session", "--tool-format", "auto")).toEqual(["native"])
    expect(await format("--continue", "--tool-format", "xml")).toEqual(["xml"])
    expect(await format("--continue", "--model", "openai-compatible/other")).toEqual(["native"])
  })
})

describe("the window of a model that no catalogue knows", () => {
  it("is the one that the server's list states, for vLLM, for any compatible server and for providers of the settings", async () => {
    using home = Process.place()
    const place = withKeys(home)
    using server = await ChatServer.start(({ path }) =>
      path.endsWith("/chat/completions") ? { text: "Yes." }
        : path.endsWith("/v1/models") ? { json: { data: [{ id: "coder", object: "model", max_model_len: 32_768 }, { id: "plain", object: "model" }] } }
        : undefined
    )
    mkdirSync(join(place.root, "home"), { recursive: true })
    writeFileSync(join(place.root, "home", "config.jsonc"), JSON.stringify({ providers: { mine: { wire: "openai-chat", baseUrl: server.url } } }))
    const window = async (model: string, ...more: ReadonlyArray<string>) => {
      const ended = await Process.run(place, ["-p", ...more, "--model", model, "--max-wait", "0", "Go"])
      return /a context window of (\d+k) tokens/.exec(ended.stderr)?.[1]
    }
    expect(await window("mine/coder")).toBe("33k")
    expect((await Process.run(place, ["replay", "latest", "--verify"])).code).toBe(0)
    expect([await window("mine/plain"), await window("vllm/coder", "--base-url", server.url)]).toEqual(["128k", "33k"])
    expect(await window("openai-compatible/coder", "--base-url", server.url)).toBe("33k")
  })

  it("and its tool format are what Ollama, LM Studio and llama.cpp state about it", async () => {
    await using scene = Process.scene()
    const place = withKeys(scene)
    const pages: Readonly<Record<string, object>> = {
      "/api/show": { parameters: "num_ctx 16384", capabilities: ["completion"] },
      "/api/v0/models/coder": { type: "llm", loaded_context_length: 12_288, capabilities: ["tool_use"] },
      "/props": { default_generation_settings: { n_ctx: 20_480 }, chat_template_caps: { supports_tools: false } }
    }
    using server = await ChatServer.start(({ path }) => path.endsWith("/chat/completions") ? { text: "Yes." } : pages[path] === undefined ? undefined : { json: pages[path] })
    const stated = async (provider: string) => {
      const ended = await Process.run(place, ["-p", "--base-url", server.url, "--model", `${provider}/coder`, "Go"])
      expect(ended, ended.stderr).toMatchObject({ code: 0, stdout: "Yes.\n" })
      const { stdout } = await Process.run(place, ["sessions", "show", "latest", "--output-format", "events"])
      const { settings } = stdout.split("\n").filter((line) => line.startsWith("{")).map((line) => JSON.parse(line).event).find(({ _tag }) => _tag === "SessionStarted")
      return [settings.model.window, server.requests().at(-1)!["tools"] === undefined ? "xml" : "native"]
    }
    expect([await stated("ollama"), await stated("lmstudio"), await stated("llamacpp")]).toEqual([[16_384, "xml"], [12_288, "native"], [20_480, "xml"]])
  })
})
