import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { mkdirSync, realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as ActiveFiles from "../../../src/layers/settings/ActiveFiles.ts"
import { sse } from "./servers/sse.ts"
import { gone, server, within } from "./world.ts"

const one = (how: string, more: object = {}) => ({ servers: (folder: string) => ({ [how]: { ...server(how, folder), ...more } as never }) })

describe("a faulty MCP server", () => {
  it.live("that exits at once is reported with its last output, and affects nothing else", () =>
    within({ servers: (folder) => ({ dies: { ...server("dies") } as never, fine: { ...server("fine", folder) } as never, gone: { command: "no-such-program" } }) }, ({ mcp, session }) =>
      Effect.gen(function*() {
        const renewed = yield* mcp.refresh(session())
        assert.deepStrictEqual(renewed?.offer.tools.map(({ name }) => name), ["mcp__fine__work"])
        assert.deepStrictEqual(renewed?.notes, [
          "The MCP server dies ended; end of its error output: no database here. Its tools are unavailable.",
          "The MCP server gone can't be started: the program no-such-program was not found on PATH (folders of this project don't count). Its tools are unavailable."
        ])
        assert.isUndefined(yield* mcp.refresh(session(renewed?.offer)), "it is told once")
      })))

  it.live("that hangs at initialize is given up after its timeout", () =>
    within(one("hangs", { connectTimeout: 300 }), ({ mcp, noted, session }) =>
      Effect.gen(function*() {
        const renewed = yield* mcp.refresh(session())
        assert.deepStrictEqual(renewed, { offer: { servers: [], tools: [] }, notes: ["The MCP server hangs did not respond within 0.3 s. Its tools are unavailable."] })
        const [started = ""] = yield* noted("hangs", "started")
        yield* gone(Number(started.slice(8)))
      })))

  it.live("that prints garbage between its messages is still understood", () =>
    within(one("garbage"), ({ call, mcp, session }) =>
      Effect.gen(function*() {
        assert.deepStrictEqual((yield* mcp.refresh(session()))?.notes, [])
        assert.deepStrictEqual(yield* call("garbage", "work", { text: "on" }), { status: "succeeded", text: "work on ", shown: "" })
      })))

  it.live("that crashes in a call fails the call, and a new process answers the next one", () =>
    within(one("crashes"), ({ call, mcp, noted, session }) =>
      Effect.gen(function*() {
        const offer = (yield* mcp.refresh(session()))?.offer
        const outcome = yield* call("crashes", "work")
        assert.deepStrictEqual([outcome.status, outcome.text], ["failed", "The MCP server crashes ended; end of its error output: out of memory. It will be restarted with the next call."])
        assert.isUndefined(yield* mcp.refresh(session(offer)), "its tools stay: nothing is told anew")
        assert.strictEqual((yield* call("crashes", "work")).status, "failed")
        assert.lengthOf((yield* noted("crashes", "started")).filter((line) => line.startsWith("started")), 2)
      })))

  it.live("that floods its output is stopped, and the call fails", () =>
    within(one("floods"), ({ call, mcp, session }) =>
      Effect.gen(function*() {
        yield* mcp.refresh(session())
        const outcome = yield* call("floods", "work")
        assert.strictEqual(outcome.status, "failed")
        assert.include(outcome.text, "The MCP server floods")
      })))

  it.live("that dies of a request before initialize is contacted with the older protocol", () =>
    within(one("old"), ({ call, mcp, session }) =>
      Effect.gen(function*() {
        assert.deepStrictEqual((yield* mcp.refresh(session()))?.notes, [])
        assert.strictEqual((yield* call("old", "work")).status, "succeeded")
      })))

  it.live("that changes its tools during a turn offers them from the next request on", () =>
    within(one("changes"), ({ call, mcp, session }) =>
      Effect.gen(function*() {
        const before = (yield* mcp.refresh(session()))!.offer
        assert.isUndefined(yield* mcp.refresh(session(before)))
        yield* call("changes", "work")
        const { notes, offer: after } = (yield* mcp.refresh(session(before)))!
        assert.deepStrictEqual(notes, ["The MCP server changes has other tools than before (new: more)."])
        assert.deepStrictEqual(after.tools.map(({ name }) => name), ["mcp__changes__more", "mcp__changes__work"])
      })))

  it.live("with deceptive names gets names that providers accept, and hidden characters are shown", () =>
    within(one("lies"), ({ mcp, session }) =>
      Effect.gen(function*() {
        const tools = (yield* mcp.refresh(session()))!.offer.tools
        assert.deepStrictEqual(tools.map(({ name }) => name.length), [15, 64])
        assert.strictEqual(tools[1]!.description, "a<U+202E>b")
      })))

  it.live("gets no secrets from the environment, and its escape sequences reach no terminal", () =>
    within(one("fine"), ({ call, mcp, session }) =>
      Effect.gen(function*() {
        yield* mcp.refresh(session())
        assert.strictEqual((yield* call("fine", "work", { text: "x" })).text, "work x ")
      })))
})

describe("a call", () => {
  it.live("shows its progress", () =>
    within(one("slow"), ({ call, mcp, session }) =>
      Effect.gen(function*() {
        yield* mcp.refresh(session())
        assert.strictEqual((yield* call("slow", "work")).shown, "half 1/2\n")
      })))

  it.live("that is interrupted is cancelled at the server", () =>
    within(one("waits"), ({ call, mcp, noted, session }) =>
      Effect.gen(function*() {
        yield* mcp.refresh(session())
        const running = yield* Effect.forkChild(call("waits", "work"))
        yield* noted("waits", "called")
        yield* Fiber.interrupt(running)
        yield* noted("waits", "cancelled")
      })))

  it.live("ends after its timeout, and says so", () =>
    within(one("waits", { timeout: 200 }), ({ call, mcp, session }) =>
      Effect.gen(function*() {
        yield* mcp.refresh(session())
        assert.deepStrictEqual(yield* call("waits", "work"), { status: "failed", text: "The MCP server waits did not respond in time. Try a smaller request, or another way.", shown: "" })
      })))

  it.live("of a server that was not approved is rejected", () =>
    within({ ...one("fine"), rules: { deny: ["Bash"] } }, ({ call, mcp, session }) =>
      Effect.gen(function*() {
        const renewed = yield* mcp.refresh(session())
        assert.lengthOf(renewed?.offer.tools ?? [], 0)
        assert.match(renewed?.notes[0] ?? "", /^The MCP server fine was not started: /)
        assert.strictEqual((yield* call("fine", "work")).text, "The MCP server fine was not allowed to start.")
      })))
})

describe("a server that a project names", () => {
  /** Trusted as it is. */
  const named = (folder: string, more: object = {}) => {
    mkdirSync(join(folder, "c"), { recursive: true })
    const servers = { mcpServers: { fine: { ...server("fine", folder), ...more } } }
    writeFileSync(join(folder, "c", "trust.jsonc"), JSON.stringify({ folders: { [realpathSync(folder)]: { trusted: true, files: { ".mcp.json": ActiveFiles.digest(".mcp.json", servers) } } } }))
    writeFileSync(join(folder, ".mcp.json"), JSON.stringify(servers))
  }

  it.live("is asked about once, and then starts for the session and its subagents", () =>
    within({ servers: () => ({}), answers: [{}], mode: "default" }, ({ folder, mcp, session }) =>
      Effect.gen(function*() {
        named(folder)
        const first = yield* mcp.refresh(session())
        assert.lengthOf(first?.offer.tools ?? [], 1)
        const child = yield* mcp.refresh({ ...session(), id: "child", parent: "session" })
        assert.lengthOf(child?.offer.tools ?? [], 1)
      })))

  it.live("is asked about again when its command changes", () =>
    within({ servers: () => ({}), answers: [{}, { decision: "deny", words: "not that one" }], mode: "default" }, ({ folder, mcp, session }) =>
      Effect.gen(function*() {
        named(folder)
        const first = yield* mcp.refresh(session())
        named(folder, { env: { LD_PRELOAD: "evil.so" } })
        assert.deepStrictEqual(yield* mcp.refresh(session(first?.offer)), { offer: { servers: [], tools: [] }, notes: ["The MCP server fine was not started: not that one."] })
      })))
})

describe("a server with the older HTTP transport", () => {
  for (const [how, more] of [["says so", { type: "sse" }], ["is found out", {}]] as const) {
    it.live(`works where it ${how}, and is connected to again when its stream breaks`, () =>
      Effect.scoped(Effect.flatMap(sse, ({ streams, url }) =>
        within({ servers: () => ({ older: { url, ...more } }) }, ({ call, mcp, session }) =>
          Effect.gen(function*() {
            const renewed = yield* mcp.refresh(session())
            assert.deepStrictEqual([renewed?.notes, renewed?.offer.tools.map(({ name }) => name)], [[], ["mcp__older__work"]])
            assert.deepStrictEqual(yield* call("older", "work", { text: "hello" }), { status: "succeeded", text: "again: hello", shown: "" })
            assert.strictEqual((yield* call("older", "work", { text: "gone" })).status, "failed")
            assert.strictEqual((yield* call("older", "work", { text: "back" })).text, "again: back")
            assert.isAtLeast(streams(), 2)
          })))))
  }
})

describe("the end", () => {
  it.live("leaves no server process, even one that ignores SIGTERM", () =>
    Effect.gen(function*() {
      const pid = yield* within(one("stays"), ({ mcp, noted, session }) =>
        Effect.andThen(mcp.refresh(session()), Effect.map(noted("stays", "started"), ([line = ""]) => Number(line.slice(8)))))
      yield* gone(pid)
    }))
})
