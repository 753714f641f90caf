/** Long sessions as the agent makes them, without an agent: events are folded, planned and compacted as they come. */
import * as Result from "effect/Result"
import * as WindowBudget from "../../../src/domain/context/WindowBudget.ts"
import * as Compaction from "../../../src/domain/context/compaction/Compaction.ts"
import * as WindowUsage from "../../../src/domain/context/WindowUsage.ts"
import * as AutoInclude from "../../../src/domain/context/AutoInclude.ts"
import * as Plan from "../../../src/domain/context/RequestPlan.ts"
import * as Tokens from "../../../src/domain/context/Tokens.ts"
import type { Content } from "../../../src/domain/message/Message.ts"
import type { Model } from "../../../src/domain/provider/Model.ts"
import * as Session from "../../../src/domain/session/Session.ts"
import type { Facts, IncludedFile, Settled } from "../../../src/domain/session/SessionEvent.ts"
import * as Usage from "../../../src/domain/session/Usage.ts"
import * as Outcome from "../../../src/domain/tool/Outcome.ts"
import { facts, specs } from "../prompt/input.ts"

/** A session after these events, as if each had been logged. */
export const after = (session: Session.Session, ...events: ReadonlyArray<Settled>): Session.Session =>
  events.reduce((state, event) => Session.apply(state, { v: 1, seq: state.seq + 1, time: 0, prev: "", hash: "", event }), session)

export const said = (text: string, parts: ReadonlyArray<Content> = []): Settled =>
  ({ _tag: "UserSaid", text, delivery: "steer", ...(parts.length === 0 ? {} : { parts }) })

export const responded = (content: ReadonlyArray<Content>, usage: Usage.TokenUsage = Usage.zero): Settled => ({
  _tag: "ModelResponded",
  content,
  usage,
  cost: null,
  stop: "stop",
  recording: "",
  malformed: [],
  warnings: []
})

export const call = (id: string, name: string, params: Readonly<Record<string, string>>): Content => ({ _tag: "ToolCall", id, name, params })

export const finished = (id: string, outcome: Outcome.Outcome): Settled => ({ _tag: "ToolFinished", call: id, outcome })

/** What one turn of the model does, and what comes back. */
export interface Turn {
  readonly calls: ReadonlyArray<{ readonly name: string; readonly params: Readonly<Record<string, string>>; readonly outcome: Outcome.Outcome }>
  readonly text?: string
  readonly said?: string
  readonly parts?: ReadonlyArray<Content>
}

const words = "the parser reads a line and gives each token to the next step while errors are kept for the report".split(" ")
/** A source file of so many lines, other for each seed. */
export const source = (lines: number, seed: number): string =>
  Array.from({ length: lines }, (_, i) => `${i + 1} | const ${words[(i * 7 + seed) % words.length]}${i} = ${words[(i + seed) % words.length]}(${i}, "${words[(i * 3) % words.length]}")`).join("\n")

export const reads = (path: string, text: string): Turn["calls"][number] => ({
  name: "read_file",
  params: { path },
  outcome: { ...Outcome.succeeded(text), touched: [{ path, kind: "read", hash: `${text.length}`, content: "all" }] }
})

export const writes = (path: string, content: string): Turn["calls"][number] => ({
  name: "write_file",
  params: { path, content },
  outcome: { ...Outcome.succeeded(`Changed ${path}.`), touched: [{ path, kind: "modified", hash: `${content.length}`, content: "all" }] }
})

export const edits = (path: string, text: string): Turn["calls"][number] => ({
  name: "edit_file",
  params: { path, old_text: "old", new_text: text },
  outcome: { ...Outcome.succeeded(`Changed ${path}. It now reads:\n${text}`), touched: [{ path, kind: "modified", hash: text }] }
})

export const runs = (command: string, output: string, code = 0): Turn["calls"][number] => ({
  name: "run_command",
  params: { command },
  outcome: (code === 0 ? Outcome.succeeded : Outcome.failed)(`Exit code ${code}.\n${output}`)
})

/** A request as it went out, and whether what was shown had been made smaller just before. */
export interface Sent {
  readonly plan: Plan.RequestPlan
  readonly session: Session.Session
  readonly compacted: boolean
}

export interface Options {
  readonly model: Model
  /** What the provider counts for a request; 0: it reports nothing. */
  readonly counts?: (plan: Plan.RequestPlan) => number
  readonly summary?: (nth: number) => string | undefined
}

export const begun = (model: Model): Session.Session => ({
  ...Session.empty,
  id: "session",
  cwd: "/repo",
  settings: { ...Session.empty.settings, model }
})

/** All compactions that are due, as the agent does them. */
const compact = (session: Session.Session, model: Model, known: Facts, summary: () => string | undefined): Session.Session => {
  for (let at = session, round = 0;; round++) {
    const weighed = Result.getOrThrow(Plan.weigh({ session: at, facts: known, model, tools: specs }))
    const passes = Compaction.next(at, model, weighed)
    if (passes === undefined) return at
    if (round > 20) throw new Error("compaction does not end")
    const why = passes.events[0]?.why ?? "full"
    at = after(at, ...passes.events)
    if (passes.summary === undefined) continue
    const text = summary()
    at = text !== undefined
      ? after(at, Compaction.summaryEvent(at, passes.summary, text, why))
      : after(at, ...withoutSummary(at, model, Compaction.next(at, model, weighed, false)?.events ?? []))
  }
}

const withoutSummary = (_: Session.Session, __: Model, done: ReadonlyArray<Settled>): ReadonlyArray<Settled> => {
  const [first = { _tag: "ContextCompacted", kind: "truncate", why: "full", shortened: [], before: 0, after: 0, left: [] } satisfies Settled, ...others] = done
  return [{ ...first, failed: "none" } as Settled, ...others]
}

/** A file that goes along by itself, where there is room for it. */
const goesAlong = (session: Session.Session, model: Model, nth: number): ReadonlyArray<IncludedFile> => {
  const weighed = Result.getOrThrow(Plan.weigh({ session, facts, model, tools: specs }))
  const told = (tokens: number): number => WindowUsage.tokens(session.windowUsage, tokens)
  const before = told(AutoInclude.included(weighed.messages).reduce((sum, part) => sum + Tokens.ofPart(part).tokens, 0))
  const text = source(40, nth)
  const room = AutoInclude.availableTokens({ usable: WindowBudget.usable(model), tokens: told(weighed.tokens), included: before })
  return told(Tokens.ofText(text)) + 50 > room ? [] : [{ path: `along/${nth % 7}.ts`, hash: `${nth}`, text, score: 100, why: "recently touched" }]
}

/** Plays a session: what the user says first, then each turn; `sees` gets every request. */
export const play = (first: string, turns: Iterable<Turn>, { counts = () => 0, model, summary = (nth) => `## Goal\nSummary ${nth}.` }: Options, sees: (sent: Sent) => void): Session.Session => {
  let session = after(begun(model), said(first))
  let summaries = 0
  let nth = 0
  const send = (): Plan.RequestPlan => {
    const ready = compact(session, model, facts, () => summary(++summaries))
    const included = nth % 5 === 2 ? goesAlong(ready, model, nth) : []
    const plan = Result.getOrThrow(Result.flatMap(Plan.weigh({ session: ready, facts, model, tools: specs }), (weighed) => Plan.make(weighed, included)))
    sees({ plan, session: ready, compacted: ready !== session })
    const { current, facts: known, omissions, tokens } = plan
    session = after(ready, {
      _tag: "ContextPlanned",
      ...(known === undefined ? {} : { facts: known }),
      ...(current === undefined ? {} : { current }),
      ...(included.length === 0 ? {} : { included }),
      system: "system",
      tokens,
      left: omissions
    })
    return plan
  }
  for (const turn of turns) {
    const plan = send()
    nth++
    const calls = turn.calls.map(({ name, params }, i) => call(`call_${nth}_${i}`, name, params))
    const text: ReadonlyArray<Content> = turn.text === undefined ? [] : [{ _tag: "Text", text: turn.text }]
    session = after(
      session,
      responded([...text, ...calls], { ...Usage.zero, input: counts(plan) }),
      ...turn.calls.map(({ outcome }, i) => finished(`call_${nth}_${i}`, outcome)),
      ...(turn.said === undefined ? [] : [said(turn.said, turn.parts)])
    )
    if (turn.calls.length === 0 && turn.said === undefined) session = after(session, said("Go on."))
  }
  send()
  return session
}
