/** The agent as a program without Effect uses it, with a scripted model. */
import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { checks } from "../../src/layers/CheckOptions.ts"
import { createAgent, type AgentOptions } from "../../src/layers/createAgent.ts"
import { pixel } from "../../src/layers/testing/MemoryBrowser.ts"
import type { Chunk } from "../../src/domain/message/Chunk.ts"
import * as Access from "../../src/domain/tool/Access.ts"
import * as Outcome from "../../src/domain/tool/Outcome.ts"
import * as Tool from "../../src/services/Tool.ts"
import { main } from "../cli/support/Process.ts"
import type { Route } from "../../src/services/Route.ts"
import type { SessionSettings } from "../../src/domain/session/SessionSettings.ts"
import type { Followed } from "../../src/domain/session/SessionEvent.ts"

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dacapo-promises-"))
  vi.stubEnv("DACAPO_HOME", join(folder, "home"))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

/** An agent whose model says these turns. */
const scripted = (turns: ReadonlyArray<unknown>, more: Partial<AgentOptions> = {}) => {
  const script = join(folder, "script.json")
  writeFileSync(script, JSON.stringify({ turns }))
  return createAgent({ ...more, cwd: folder, model: `scripted/${script}` })
}

const writes = { text: "I write it.", calls: [{ name: "write_file", params: { path: "a.txt", content: "hello\n" } }] }
const sleeps = { text: "I wait.", calls: [{ name: "run_command", params: { command: "sleep 60" } }] }
const all = async (events: AsyncIterable<Followed>) => {
  const seen: Array<Followed> = []
  for await (const event of events) seen.push(event)
  return seen
}
const names = (events: ReadonlyArray<Followed>) => events.flatMap((event) => event._tag === "Settled" ? [event.at.event._tag] : [])

/** A route of a program's own, without its connection. */
const ownRoute = { name: "mine", title: "Mine", wire: "mine", keys: [], baseUrl: "", local: true } as const

describe("createAgent", () => {
  it("runs a task to its end, and the next in the same session", async () => {
    await using agent = scripted([writes, { text: "Written." }, { text: "You are welcome." }], { approve: () => "allow" })
    const session = await agent.session()
    const first = await session.run("Write it")
    assert.deepStrictEqual([first.state, first.result, first.turns], ["finished", "Written.", 2])
    assert.strictEqual(readFileSync(join(folder, "a.txt"), "utf8"), "hello\n")
    assert.strictEqual((await session.run("Thanks")).result, "You are welcome.")
  })

  it("denies what nobody allows, and tells the model", async () => {
    await using agent = scripted([writes, { text: "I may not." }])
    const session = await agent.session()
    assert.strictEqual((await session.run("Write it")).result, "I may not.")
    assert.throws(() => readFileSync(join(folder, "a.txt")))
  })

  it("yields a task's events as they come, and ends with the task", async () => {
    await using agent = scripted([{ text: "Hello." }])
    const session = await agent.session()
    const events = await all(session.stream("Say hello"))
    assert.strictEqual(names(events)[0], "UserSaid")
    assert.strictEqual(names(events).at(-1), "TaskFinished")
    assert.isTrue(events.some((event) => event._tag === "Parsed"))
  })

  it("interrupts a task on abort, and when its event loop is left", async () => {
    await using agent = scripted([sleeps, sleeps], { approve: () => "allow" })
    const session = await agent.session()
    const stop = new AbortController()
    const running = session.stream("Wait", { signal: stop.signal })
    for await (const event of running) if (names([event])[0] === "ToolStarted") stop.abort()
    assert.strictEqual((await session.state()).task.state, "interrupted")
    for await (const event of session.stream("Wait again")) if (names([event])[0] === "ToolStarted") break
    assert.strictEqual((await session.state()).task.state, "interrupted")
  })

  it("resumes an earlier session", async () => {
    const turns = [{ text: "One." }, { text: "Two." }]
    let id = ""
    {
      await using agent = scripted(turns)
      const session = await agent.session()
      id = session.id
      await session.run("Count")
    }
    await using agent = scripted(turns)
    const session = await agent.session(id)
    assert.strictEqual((await session.run("Go on")).result, "Two.")
  })

  it("rewinds with its files, and forks from an earlier event", async () => {
    await using agent = scripted([writes, { text: "Written." }, { text: "Elsewhere." }], { approve: () => "allow" })
    const session = await agent.session()
    const moment = (await session.state()).seq
    await session.run("Write it")
    const fork = await session.fork()
    await session.rewind({ to: moment })
    assert.throws(() => readFileSync(join(folder, "a.txt")))
    assert.notStrictEqual(fork.id, session.id)
    assert.strictEqual((await fork.run("Go on")).result, "Elsewhere.")
  })

  it("answers the model's questions, or reports that nobody is there", async () => {
    const asks = { text: "", calls: [{ name: "ask_user", params: { question: "Which?", options: ["a", "b"] } }] }
    await using agent = scripted([asks, { text: "Done." }], { answer: (question, options) => `${question} ${options.join()}` })
    const session = await agent.session()
    const events = await all(session.stream("Choose"))
    assert.include(JSON.stringify(events), "Which? a,b")
  })

  it("runs one task after the other in one session, each with its own result", async () => {
    await using agent = scripted([{ text: "One." }, { text: "Two." }, { text: "Three." }])
    const session = await agent.session()
    const again = await agent.session(session.id)
    const results = await Promise.all([session.run("Count"), again.run("Go on"), session.run("And on")])
    assert.deepStrictEqual(results.map(({ result }) => result), ["One.", "Two.", "Three."])
  })

  it("does not begin a task whose signal is aborted while it waits", async () => {
    await using agent = scripted([sleeps, { text: "Late." }], { approve: () => "allow" })
    const session = await agent.session()
    const stop = new AbortController()
    const first = session.run("Wait", { signal: stop.signal })
    const second = session.run("And wait", { signal: AbortSignal.abort(new Error("not now")) }).then(() => "ran", (error: Error) => error.message)
    assert.strictEqual(await second, "not now")
    stop.abort()
    assert.strictEqual((await first).state, "interrupted")
  })

  it("ends a task whose approve throws, and runs the next", async () => {
    let questions = 0
    await using agent = scripted([writes, { text: "It works." }], {
      approve: () => {
        if (questions++ === 0) throw new Error("it broke")
        return "allow"
      }
    })
    const session = await agent.session()
    const { result, state } = await session.run("Write it")
    assert.match(`${state}: ${result}`, /^failed: Internal error: it broke\. A crash report is in .+; please attach it to a bug report\.$/)
    assert.strictEqual((await session.run("Again")).result, "It works.")
  })

  it("decodes the result by a schema, and lets the model correct it", async () => {
    await using agent = scripted([{ text: "Four, I think." }, { text: "```json\n{\"sum\": 4}\n```" }])
    const session = await agent.session()
    const { value } = await session.run("What is 2 + 2?", { schema: Schema.Struct({ sum: Schema.Int }) })
    assert.deepStrictEqual(value, { sum: 4 })
  })

  it("gives each run its own result, also while the result of another is corrected", async () => {
    await using agent = scripted([{ text: "Four, I think." }, { text: "{\"sum\": 4}" }, { text: "Three." }])
    const session = await agent.session()
    const schema = Schema.Struct({ sum: Schema.Int })
    const [sum, next] = await Promise.all([session.run("What is 2 + 2?", { schema }), session.run("And 2 + 1?")])
    assert.deepStrictEqual([sum.value, next.result], [{ sum: 4 }, "Three."])
  })

  it.each([
    ["no image", new TextEncoder().encode("a text"), "An image in the prompt is not a PNG, JPEG, GIF or WebP file."],
    ["half an image", pixel.slice(0, 12), "The image claims to be PNG, but can't be read."]
  ])("begins no task with %s", async (_, image, message) => {
    await using agent = scripted([{ text: "I see." }])
    const session = await agent.session()
    const error = await session.run("What is it?", { images: [image] }).then(() => undefined, ({ _tag, message }) => ({ _tag, message }))
    assert.deepStrictEqual(error, { _tag: "ImageError", message })
    assert.strictEqual((await session.run("And now?")).result, "I see.")
  })

  it.each([
    [undefined, "[undefined]"],
    [null, "null"],
    [true, "true"],
    ["yes", "yes"],
    [{ decision: "deny", words: 1 }, '{"decision":"deny","words":1}']
  ])("says what approve may return where it returns %j", async (decision, shown) => {
    await using agent = scripted([writes], { approve: () => decision as never })
    const { result } = await (await agent.session()).run("Write it")
    assert.include(result, `Internal error: \`approve\` must return "allow", "deny" or an Answer, not ${shown}.`)
  })

  it("tells the model why a call is denied", async () => {
    await using agent = scripted([writes, { text: "As you wish." }], { approve: () => ({ decision: "deny", words: "Not in this folder." }) })
    assert.include(JSON.stringify(await all((await agent.session()).stream("Write it"))), "Not in this folder.")
  })

  it("tells the model where `answer` returns something else than a text", async () => {
    const asks = { text: "", calls: [{ name: "ask_user", params: { question: "Which?", options: ["a", "b"] } }] }
    await using agent = scripted([asks, { text: "Done." }], { answer: () => 12 as never })
    const events = await all((await agent.session()).stream("Choose"))
    assert.include(JSON.stringify(events), "`answer` must return a text or undefined, not 12")
  })

  it.each([
    ["throws", () => { throw new Error("it broke") }],
    ["rejects", () => Promise.reject(new Error("it broke"))],
    ["returns a text", () => "it broke" as never, "`shell` must return { output, code }, not it broke."]
  ])("reports a command whose shell %s to the model, and continues", async (_, shell, error = "it broke") => {
    await using agent = scripted([sleeps, { text: "It can't wait." }, { text: "Fine." }], { approve: () => "allow", shell })
    const session = await agent.session()
    const events = await all(session.stream("Wait"))
    assert.include(JSON.stringify(events), `run_command failed with an internal error: ${error}`)
    assert.strictEqual((await session.run("And now?")).result, "Fine.")
  })

  it("rejects what runs when it is closed, and what comes after, with a ClosedError", async () => {
    const agent = scripted([writes], { approve: () => new Promise(() => void agent.close()) })
    const session = await agent.session()
    const tag = (promise: Promise<unknown>) => promise.then(() => undefined, ({ _tag, message }) => `${_tag}: ${message}`)
    assert.strictEqual(await tag(session.run("Write it")), "ClosedError: The agent is closed.")
    assert.strictEqual(await tag(session.run("Again")), "ClosedError: The agent is closed.")
    assert.strictEqual(await tag(agent.session()), "ClosedError: The agent is closed.")
  })

  it("leaves no promise behind when it is closed while a task is aborted", async () => {
    const unhandled: Array<unknown> = []
    const note = (reason: unknown) => void unhandled.push(reason)
    // Node throws what the promise of a listener rejects with.
    process.on("uncaughtException", note)
    const stop = new AbortController()
    const agent = scripted([sleeps], { approve: () => "allow" })
    const session = await agent.session()
    const task = async () => {
      for await (const event of session.stream("Wait", { signal: stop.signal })) {
        if (names([event])[0] !== "ToolStarted") continue
        stop.abort()
        void agent.close()
      }
    }
    assert.strictEqual(await task().catch(({ _tag }) => _tag), "ClosedError")
    await new Promise((resolve) => setTimeout(resolve, 20))
    process.off("uncaughtException", note)
    assert.deepStrictEqual(unhandled, [])
  })

  it("sends images with a prompt", async () => {
    await using agent = scripted([{ text: "A pixel." }])
    const session = await agent.session()
    const events = await all(session.stream("What is it?", { images: [pixel] }))
    assert.include(JSON.stringify(events.find((event) => event._tag === "Settled" && event.at.event._tag === "UserSaid")), "image/png")
  })

  it("runs commands where the program wants, and keeps sessions in memory", async () => {
    const commands: Array<string> = []
    const home = join(folder, "elsewhere")
    await using agent = scripted([{ calls: [{ name: "run_command", params: { command: "uname" } }] }, { text: "Done." }], {
      approve: () => "allow",
      bare: true,
      home,
      shell: async ({ command }) => {
        commands.push(command)
        return { output: "Plan9\n" }
      },
      storage: "memory"
    })
    const session = await agent.session()
    const events = await all(session.stream("Where am I?"))
    assert.deepStrictEqual(commands, ["uname"])
    assert.include(JSON.stringify(events), "Plan9")
    assert.isFalse(existsSync(join(home, "data", "sessions.db")))
    assert.isFalse(existsSync(join(folder, "home")))
  })

  it("gives the key to the model's provider", async () => {
    const keys: Array<string | undefined> = []
    const keyed: Route = {
      name: "keyed",
      title: "A route with a key",
      wire: "keyed",
      keys: ["KEYED_API_KEY"],
      baseUrl: "",
      local: false,
      connect: ({ key }) => {
        keys.push(key === undefined ? undefined : Redacted.value(key))
        return {
          encode: () => ({}),
          send: () => Stream.make({ _tag: "TextDelta", text: "Hello." }, { _tag: "Finish", reason: "stop", raw: "stop" })
        }
      }
    }
    await using agent = createAgent({ cwd: folder, model: "keyed/model", routes: [keyed], apiKey: " mine\n", storage: "memory" })
    const session = await agent.session()
    assert.strictEqual((await session.run("Hello")).result, "Hello.")
    assert.include(keys, "mine")
    await using keyless = createAgent({ cwd: folder, model: "keyed/model", routes: [keyed], apiKey: "", storage: "memory" })
    assert.include((await keyless.session().then(() => "", (error: Error) => error.message)), "No API key for A route with a key.")
  })

  it.each([[{}], [{ keyEnv: "TEAM_API_KEY" }]])("gives the key to a provider that only the settings define, with %j", async (more) => {
    const authorizations: Array<string | undefined> = []
    const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta: { role: "assistant", content: "Hello." }, finish_reason: "stop" }] }
    const server = createServer(({ headers, url }, response) => {
      if (url !== "/v1/chat/completions") return void response.writeHead(404).end()
      authorizations.push(headers.authorization)
      response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    mkdirSync(join(folder, "home"))
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    writeFileSync(join(folder, "home", "config.jsonc"), JSON.stringify({ providers: { team: { wire: "openai-chat", baseUrl, ...more } } }))
    await using agent = createAgent({ cwd: folder, model: "team/m", apiKey: "mine", storage: "memory" })
    assert.strictEqual((await (await agent.session()).run("Hello")).result, "Hello.")
    assert.deepStrictEqual(authorizations, ["Bearer mine"])
    server.close()
  })

  it.each([["nowhere", "does not exist"], ["file.txt", "is not a folder"]])("refuses to work in %s", async (name, why) => {
    writeFileSync(join(folder, "file.txt"), "")
    await using agent = createAgent({ cwd: join(folder, name), model: "scripted/x" })
    const error = await agent.session().then(() => undefined, (error: Error) => error.message)
    assert.strictEqual(error, `The folder ${join(folder, name)} ${why}.`)
  })

  it.each([
    [{ opnai: { baseUrl: "http://127.0.0.1:9" } }, "\"opnai\" is not a provider. Did you mean openai"],
    [{ team: { wire: "openai-chat" } }, "A provider with a \"wire\" needs a \"baseUrl\" too."],
    [{ openai: { basUrl: "http://127.0.0.1:9" } }, "\"basUrl\" is not a setting in providers.openai. Did you mean \"baseUrl\"?"],
    [{ team: { wire: "openai-chat", baseUrl: "http://127.0.0.1:9", models: { m: { windw: 1 } } } }, "Did you mean \"window\"?"]
  ])("refuses the provider settings %j", async (providers, why) => {
    mkdirSync(join(folder, "home"))
    writeFileSync(join(folder, "home", "config.jsonc"), JSON.stringify({ providers }))
    await using agent = scripted([{ text: "Never said." }])
    const error = await agent.session().then(() => undefined, (error: Error) => error.message)
    assert.include(error, why)
    await using bare = scripted([{ text: "Hello." }], { bare: true })
    assert.strictEqual((await (await bare.session()).run("Hello")).result, "Hello.")
  })

  it.each([
    ["localhost:11434/v1", "\"localhost:11434/v1\" is not a valid URL for team."],
    ["127.0.0.1:9", "\"127.0.0.1:9\" is not a valid URL for team."],
    ["", "No address for team."]
  ])("refuses a provider of the settings at the address %j", async (baseUrl, why) => {
    mkdirSync(join(folder, "home"))
    writeFileSync(join(folder, "home", "config.jsonc"), JSON.stringify({ providers: { team: { wire: "openai-chat", baseUrl } } }))
    await using agent = createAgent({ cwd: folder, model: "team/m", storage: "memory" })
    const error = await agent.session().then(() => undefined, (error: Error) => error.message)
    assert.strictEqual(error, `${why} Set "baseUrl" of "team" in "providers" of the settings, such as "http://localhost:8080/v1".`)
  })

  it("knows the program's own routes in the settings", async () => {
    mkdirSync(join(folder, "home"))
    writeFileSync(join(folder, "home", "config.jsonc"), JSON.stringify({ providers: { mine: { timeout: 5 } } }))
    const mine: Route = {
      ...ownRoute,
      connect: () => ({
        encode: () => ({}),
        send: () => Stream.make({ _tag: "TextDelta", text: "Hello." }, { _tag: "Finish", reason: "stop", raw: "stop" })
      })
    }
    await using agent = createAgent({ cwd: folder, model: "mine/model", routes: [mine], storage: "memory" })
    assert.strictEqual((await (await agent.session()).run("Hello")).result, "Hello.")
  })

  it("records sessions that `dacapo replay` verifies without the program's own tools and providers", async () => {
    const lookUp = Tool.define({
      name: "look_up",
      description: "Looks up a word.",
      params: Schema.Struct({ word: Schema.String }),
      kind: "read",
      tags: [],
      access: (params) => [Access.other("look_up", params)],
      run: ({ word }) => Effect.succeed(Outcome.succeeded(`${word}: a word`))
    })
    const responses: ReadonlyArray<ReadonlyArray<Chunk>> = [
      [
        { _tag: "ToolCallStart", id: "1", name: "look_up" },
        { _tag: "ToolCallArgs", id: "1", text: "{\"word\":\"door\"}" },
        { _tag: "ToolCallEnd", id: "1" },
        { _tag: "Finish", reason: "tool_calls", raw: "tool_calls" }
      ],
      [{ _tag: "TextDelta", text: "It is a word." }, { _tag: "Finish", reason: "stop", raw: "stop" }]
    ]
    let requests = 0
    const mine: Route = {
      ...ownRoute,
      connect: () => ({
        encode: ({ messages }) => ({ messages: JSON.stringify(messages) }),
        send: () => Stream.fromIterable(responses[requests++]!)
      })
    }
    {
      await using agent = createAgent({ cwd: folder, model: "mine/model", routes: [mine], tools: [lookUp], approve: () => "allow" })
      assert.strictEqual((await (await agent.session()).run("Look it up")).result, "It is a word.")
    }
    const environment = { PATH: process.env["PATH"] ?? "", HOME: folder, DACAPO_HOME: join(folder, "home") }
    const output = execFileSync(process.execPath, [main, "replay", "latest", "--verify"], { cwd: folder, env: environment, encoding: "utf8" })
    assert.match(output, /replays exactly: \d+ events, all hashes equal/)
    assert.include(output, "What calls of look_up touch was taken from the log")
    assert.include(output, "What requests to mine contain was taken from the log")
  })

  it.each<readonly [Record<string, unknown>, string]>([
    [{ cwd: undefined }, "`cwd` must be a text, not undefined."],
    [{ mode: "acceptedits" }, '`mode` must be "default" or "acceptEdits" or "plan" or "auto" or "dontAsk" or "bypassPermissions", not "acceptedits".'],
    [{ limits: { turns: 1 } }, "`limits` is invalid: Missing key at [\"mistakes\"]."],
    [{ storage: "memroy" }, '`storage` must be "memory" or a layer, not "memroy".'],
    [{ shell: "bash" }, '`shell` must be a function or a layer, not "bash".'],
    [{ apiKey: { key: "sk-secret" } }, "`apiKey` must be a text, not an object."],
    [{ tools: [null] }, "`tools[0].name` must be a text, not undefined."],
    [{ tools: [{ name: "a", description: "A.", params: {} }] }, "`tools[0].params` must be a Schema of Effect, not an object."],
    [{ routes: [{ name: "a", keys: [] }] }, "`routes[0].connect` must be a function, not undefined."],
    [{ storgae: "memory" }, "`storgae` is not an option of createAgent. Did you mean `storage`?"]
  ])("says which option is wrong: %j", (options, message) => {
    const wrong: any = { cwd: folder, model: "scripted/x", ...options }
    assert.throws(() => createAgent(wrong), TypeError, message)
  })

  it("takes an option that is undefined for one that is left out, also when a session is resumed", async () => {
    const names: Readonly<Record<Exclude<keyof AgentOptions, keyof SessionSettings>, unknown>> = checks
    const absent: any = Object.fromEntries([...Object.keys(names), "limits", "rules", "onAsk"].map((name) => [name, undefined]))
    await using agent = scripted([{ text: "Hello." }, { text: "Again." }], absent)
    const { id, run } = await agent.session()
    assert.strictEqual((await run("Hello")).result, "Hello.")
    await agent.close()
    await using later = scripted([{ text: "Hello." }, { text: "Again." }], absent)
    assert.strictEqual((await (await later.session(id)).run("Hello")).result, "Again.")
  })

  it.each(["workspace-write", { mode: "workspace_write" }, { mod: "workspace-write" }, { network: 1 }])("runs nothing without the sandbox that was asked for: %j", (sandbox) => {
    const wrong: any = { cwd: folder, model: "scripted/x", sandbox }
    assert.throws(() => createAgent(wrong), TypeError, /^`sandbox(\.mode)?` must be/)
  })

  it.each<readonly [string, unknown, unknown, string]>([
    ["an empty prompt", " ", {}, "The prompt must be a text."],
    ["no prompt", undefined, {}, "The prompt must be a text."],
    ["a JSON Schema", "Hello", { schema: { type: "object" } }, "`schema` must be a Schema of Effect, not an object."],
    ["an option of another name", "Hello", { sginal: undefined }, "`sginal` is not an option of run. Did you mean `signal`?"],
    ["a controller for its signal", "Hello", { signal: new AbortController() }, "`signal` must be an AbortSignal, not an object."],
    ["one image in place of a list", "Hello", { images: pixel }, "`images` must be a list, not an object."],
    ["the name of an image", "Hello", { images: ["a.png"] }, "An image in the prompt is not a PNG, JPEG, GIF or WebP file."]
  ])("begins no task with %s, and then the next", async (_, prompt, options, message) => {
    await using agent = scripted([{ text: "Hello." }], { storage: "memory" })
    const session = await agent.session()
    const run: (prompt: any, options: any) => Promise<unknown> = session.run
    const error = await run(prompt, options).then(() => undefined, (error: unknown) => error)
    assert.strictEqual((error as Error).message, message)
    assert.strictEqual((await session.run("Hello")).result, "Hello.")
  })

  it("decodes what JSON can't hold from the form that the model was asked for", async () => {
    await using agent = scripted([{ text: "{\"at\":\"2026-01-02T00:00:00Z\",\"size\":\"12\"}" }], { storage: "memory" })
    const { value } = await (await agent.session()).run("When?", { schema: Schema.Struct({ at: Schema.Date, size: Schema.BigInt }) })
    assert.deepStrictEqual(value, { at: new Date("2026-01-02"), size: 12n })
  })

  it("writes nothing to the program's standard output", async () => {
    const output = vi.spyOn(console, "log").mockImplementation(() => {})
    const errors = vi.spyOn(console, "error").mockImplementation(() => {})
    await using agent = scripted([sleeps, { text: "Fine." }], { approve: () => "allow", shell: () => Promise.reject(new Error("it broke")) })
    await (await agent.session()).run("Wait")
    assert.include(errors.mock.calls.flat().join(), "The tool run_command is broken")
    assert.deepStrictEqual(output.mock.calls, [])
  })

  it("rejects with a typed error", async () => {
    await using agent = createAgent({ cwd: folder, model: "nowhere/nothing" })
    const error = await agent.session().then(() => undefined, (error: unknown) => error)
    assert.strictEqual((error as { readonly _tag: string })._tag, "ProviderError")
  })
})
