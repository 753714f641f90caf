/** What holds of every story of the simulation, whatever went wrong in it: each rule names what breaks it. */
import * as Effect from "effect/Effect"
import * as Budget from "../../../src/domain/session/Budget.ts"
import * as Session from "../../../src/domain/session/Session.ts"
import type { SessionEvent, Settled } from "../../../src/domain/session/SessionEvent.ts"
import * as Replay from "../../../src/layers/replay/Replay.ts"
import type { Story } from "./simulation.ts"

type Log = ReadonlyArray<SessionEvent>
type Tag = Settled["_tag"]

const repeated = <A>(all: ReadonlyArray<A>): ReadonlyArray<A> => all.filter((one, i) => all.indexOf(one) !== i)

/** Pairs of events that open and close something under one name: what is opened twice, closed unopened, or never closed. */
const unpaired = (log: Log, what: string, of: (event: Settled) => readonly [kind: "opens" | "closes", name: string] | undefined, isEnded: boolean): ReadonlyArray<string> => {
  const open = new Set<string>()
  const wrong: Array<string> = []
  for (const { event, seq } of log) {
    const [kind, name = ""] = of(event) ?? []
    if (kind === "opens" && open.has(name)) wrong.push(`${what} ${name} is opened again at ${seq}`)
    if (kind === "closes" && !open.has(name)) wrong.push(`${what} ${name} is closed at ${seq} and was not open`)
    if (kind === "opens") open.add(name)
    if (kind === "closes") open.delete(name)
  }
  return isEnded ? [...wrong, ...[...open].map((name) => `${what} ${name} has no end`)] : wrong
}

const requests = (log: Log, isEnded: boolean) => {
  const ends: ReadonlySet<Tag> = new Set(["ModelResponded", "ModelFailed", "BudgetExhausted"])
  let isOpen = false
  return unpaired(log, "request", ({ _tag }) => {
    const kind = _tag === "ModelRequested" ? "opens" : ends.has(_tag) && (isOpen || _tag !== "BudgetExhausted") ? "closes" : undefined
    if (kind !== undefined) isOpen = kind === "opens"
    return kind === undefined ? undefined : [kind, ""]
  }, isEnded)
}

const reservations = (log: Log, isEnded: boolean) =>
  unpaired(log, "reservation", (event) =>
    event._tag === "BudgetReserved" ? ["opens", event.child ?? ""]
    : event._tag === "BudgetSettled" ? ["closes", event.child ?? ""]
    : undefined, isEnded)

/** A call has one outcome; it is started again only where it was found lost between. */
const calls = (log: Log, isEnded: boolean): ReadonlyArray<string> => {
  const of = <T extends Tag>(tag: T) => log.flatMap(({ event, seq }) => event._tag === tag ? [{ ...event as Extract<Settled, { _tag: T }>, seq }] : [])
  const made = of("ModelResponded").flatMap(({ content }) => content.flatMap((part) => part._tag === "ToolCall" ? [part.id] : []))
  const finished = of("ToolFinished").map(({ call }) => call)
  const started = of("ToolStarted")
  const again = started.filter(({ call, seq }) => {
    const before = started.findLast((one) => one.call === call && one.seq < seq)
    return before !== undefined && !of("Resumed").some((resumed) => resumed.seq > before.seq && resumed.seq < seq)
  })
  return [
    ...repeated(finished).map((call) => `call ${call} has two outcomes`),
    ...again.map(({ call, seq }) => `call ${call} is started again at ${seq}`),
    ...isEnded ? made.filter((call) => !finished.includes(call)).map((call) => `call ${call} has no outcome`) : []
  ]
}

/** What is spent and held together never passes a limit. */
const overspent = (log: Log): ReadonlyArray<string> => {
  let session = Session.empty
  return log.flatMap((at) => {
    session = Session.apply(session, at)
    const over = Budget.levelsOf(session).find(({ tokens, usd }) => (tokens?.left ?? 0) < 0 || (usd?.left ?? 0) < -1e-9)
    return over === undefined ? [] : [`the budget is passed at ${at.seq}`]
  }).slice(0, 1)
}

const stalled = (log: Log): ReadonlyArray<string> =>
  log.flatMap(({ event, seq }) => event._tag === "ChildFinished" && event.report.status === "timed out" ? [`a subagent timed out at ${seq}`] : [])

/** Rules over the story and each of its logs. Subagents that nobody came back to may be open; the session itself is not. */
export const violations = ({ effects, logs, root, stuck }: Story): ReadonlyArray<string> => [
  ...stuck === undefined ? [] : [stuck],
  ...repeated(effects).map((effect) => `"${effect}" happened twice`),
  ...[...logs].flatMap(([id, log]) =>
    [...requests(log, id === root), ...reservations(log, id === root), ...calls(log, id === root), ...overspent(log), ...stalled(log)].map((wrong) => `${id}: ${wrong}`))
]

const replayed = (name: string, log: Log, getBlob: Story["getBlob"]) =>
  Replay.verify(log, { getBlob }).pipe(
    Effect.as([] as ReadonlyArray<string>),
    Effect.catchTag("Diverged", ({ actual, expected, seq }) =>
      Effect.succeed([`${name} does not replay: at ${seq} ${expected?._tag ?? "nothing"} was recorded and ${actual?._tag ?? "nothing"} came`]))
  )

/** Every log gives the same log again, and so does every fork. */
export const divergences = ({ forks, getBlob, logs }: Story) =>
  Effect.map(Effect.forEach([...logs, ...forks], ([id, log]) => replayed(id, log, getBlob)), (all) => all.flat())
