import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Plan from "../../../src/domain/context/RequestPlan.ts"
import type { Content, Message } from "../../../src/domain/message/Message.ts"
import type { ToolFormat } from "../../../src/domain/provider/Model.ts"
import * as Session from "../../../src/domain/session/Session.ts"
import { type Facts, Settled } from "../../../src/domain/session/SessionEvent.ts"
import * as Usage from "../../../src/domain/session/Usage.ts"
import * as Outcome from "../../../src/domain/tool/Outcome.ts"
import { facts, model, specs } from "../prompt/input.ts"

/** A session after these events, as if each had been logged. */
const after = (session: Session.Session, ...events: ReadonlyArray<Settled>): Session.Session =>
  events.reduce((state, event) => Session.apply(state, { v: 1, seq: state.seq + 1, time: 0, prev: "", hash: "", event }), session)

const begun = (toolFormat: ToolFormat = "native"): Session.Session => ({
  ...Session.empty,
  id: "session",
  cwd: "/repo",
  settings: { ...Session.empty.settings, model, toolFormat }
})

const said = (text: string): Settled => ({ _tag: "UserSaid", text, delivery: "steer" })

const make = (input: Plan.Input) => Result.flatMap(Plan.weigh(input), Plan.make)

const plan = (session: Session.Session, known: Facts = facts) => Result.getOrThrow(make({ session, facts: known, model, tools: specs }))

const planned = ({ current, facts, omissions, tokens }: Plan.RequestPlan, system: string): Settled => ({
  _tag: "ContextPlanned",
  ...(facts === undefined ? {} : { facts }),
  ...(current === undefined ? {} : { current }),
  system,
  tokens,
  left: omissions
})

const responded = (...content: ReadonlyArray<Content>): Settled => ({
  _tag: "ModelResponded",
  content,
  usage: Usage.zero,
  cost: null,
  stop: "stop",
  recording: "",
  malformed: [],
  warnings: []
})

const finished = (call: string, text: string): Settled => ({ _tag: "ToolFinished", call, outcome: Outcome.succeeded(text) })
const call = (id: string): Content => ({ _tag: "ToolCall", id, name: "read_file", params: { path: `${id}.ts` } })

describe("a plan", () => {
  it("sends what was said with what is current, and logs the facts once", () => {
    const session = after(begun(), said("mend it"))
    const first = plan(session)
    assert.deepStrictEqual(first.facts, facts)
    assert.deepStrictEqual(first.request.messages, [{
      role: "user",
      content: [{ _tag: "Text", text: "mend it" }, { _tag: "Text", text: "Git: branch main at 0123456789.", origin: "current" }]
    }])
    const next = after(session, planned(first, "blob"), responded(call("a")), finished("a", "1 | a"))
    const second = plan(next)
    assert.deepStrictEqual([second.facts, second.current, second.request.messages.length], [undefined, undefined, 3])
    assert.strictEqual(second.system, first.system)
  })

  it("is what the fold makes of its event", () => {
    const session = after(begun(), said("mend it"))
    const made = plan(session)
    assert.deepStrictEqual(after(session, planned(made, "blob")).messages, made.request.messages)
  })

  it("tells tools natively or as XML, and XML history in words", () => {
    const session = (format: ToolFormat) => after(begun(format), said("a"), planned(plan(after(begun(format), said("a"))), ""), responded(call("x")), finished("x", "text"))
    const native = plan(session("native"))
    const xml = plan(session("xml"))
    assert.deepStrictEqual([native.request.tools.length, xml.request.tools.length], [specs.length, 0])
    assert.isFalse(native.system.includes("<read_file>"))
    assert.isTrue(xml.system.includes("<read_file>"))
    assert.deepStrictEqual(xml.request.messages.flatMap(({ content }) => content).filter(({ _tag }) => _tag !== "Text"), [])
  })

  it("changes the system prompt only when a rules file changes, and then says so", () => {
    const session = after(begun(), said("a"))
    const next = after(session, planned(plan(session), "blob"), responded({ _tag: "Text", text: "b" }), said("c"))
    const changed = { ...facts, rules: [{ path: "AGENTS.md", text: "Be kind." }] }
    assert.deepStrictEqual(plan(next, changed).facts, { rules: changed.rules })
    assert.include(plan(next, changed).system, "Be kind.")
  })

  it("keeps a change of git for the next message where none is sent now", () => {
    const session = after(begun(), said("a"))
    const waiting = after(session, planned(plan(session), "blob"))
    const moved = { ...facts, git: { branch: "fix", head: "ffff" } }
    assert.deepStrictEqual([plan(waiting, moved).current, plan(waiting, moved).facts], [undefined, undefined])
    const next = after(waiting, responded({ _tag: "Text", text: "b" }), said("c"))
    assert.strictEqual(plan(next, moved).current, "Git changed: branch fix at ffff.")
  })

  it("refuses what does not fit the window, and names what is largest", () => {
    const session = after(begun(), said("word ".repeat(300_000)))
    const error = Result.getOrThrow(Result.flip(make({ session, facts, model, tools: specs })))
    assert.match(error.message, /^The request needs about \d+ tokens, but Model has a window of 200000 tokens, response included\. Largest parts: the user's text in message 1 \(\d+\), /)
    assert.isAbove(error.tokens, error.window)
  })

  it("refuses a window that does not hold the prompt itself", () => {
    const tiny = { ...model, window: 1500 }
    const error = Result.getOrThrow(Result.flip(make({ session: after(begun("xml"), said("a")), facts, model: tiny, tools: specs })))
    assert.match(error.message, /^The system prompt alone needs about \d+ tokens, but only 375 of the 1500-token window of Model are available for it\. Largest sections: .*tools \(\d+\)/)
  })

  it("says which sections it left out or made poorer", () => {
    const rules = [{ path: "AGENTS.md", text: "rule ".repeat(6000) }]
    const small = { ...model, window: 20_000 }
    const made = Result.getOrThrow(make({ session: after(begun(), said("a")), facts: { ...facts, rules }, model: small, tools: specs }))
    assert.deepStrictEqual(made.omissions, ["project rules (alternative 1)"])
  })
})

describe("any session", () => {
  const moves = Arbitrary.schema(Schema.Array(Schema.Literals(["text", "calls", "steer", "git", "todo", "nothing"])))
  const formats = Arbitrary.schema(Schema.Literals(["native", "xml"]))
  const bytes = ({ request }: Plan.RequestPlan) => request.messages.map((message: Message) => JSON.stringify(message))

  it.effect.prop("sends again, byte for byte, what it sent before", [moves, formats], ([moves, format]) =>
    Effect.sync(() => {
      let session = after(begun(format), said("begin"))
      let known = facts
      let before = plan(session, known)
      for (const [i, move] of moves.entries()) {
        session = after(session, planned(before, "blob"))
        if (move === "calls") session = after(session, responded({ _tag: "Text", text: "I look" }, call(`a${i}`), call(`b${i}`)), finished(`b${i}`, "one"), finished(`a${i}`, "two"))
        else if (move !== "nothing") session = after(session, responded({ _tag: "Text", text: `answer ${i}` }), said(`more ${i}`))
        if (move === "steer") session = after(session, said("and this"))
        if (move === "git") known = { ...known, git: { branch: `b${i}`, head: "abc" } }
        if (move === "todo") session = after(session, { _tag: "TodoUpdated", items: [{ text: `step ${i}`, state: "pending" }] })
        const next = plan(session, known)
        assert.strictEqual(next.system, before.system)
        assert.strictEqual(next.request.tools, next.request.tools)
        assert.deepStrictEqual(bytes(next).slice(0, bytes(before).length), bytes(before))
        before = next
      }
    }), { arbitrary: { runs: 500 } })
})
