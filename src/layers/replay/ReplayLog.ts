/**
 * A recorded log as the other side of a replay: it takes what the agent appends only where it equals what was
 * recorded, and releases each answer when the log has come to its place.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as Stream from "effect/Stream"
import type { SessionEvent, Settled } from "../../domain/session/SessionEvent.ts"
import type { Line } from "../../services/Storage.ts"
import * as Chain from "../storage/HashChain.ts"

/** The first event that came out otherwise; null where nothing came, or nothing was recorded. */
export class Diverged extends Data.TaggedError("Diverged")<{
  readonly seq: number
  readonly expected: Settled | null
  readonly actual: Settled | null
}> {}

/** What comes by itself and is not an answer: the replay brings it when the log reaches it. */
const arrivals: ReadonlySet<Settled["_tag"]> = new Set([
  "CompactionAsked",
  "Interrupted",
  "ModeSwitched",
  "ModelSwitched",
  "Resumed",
  "Rewound",
  "SessionNamed",
  "SessionStarted",
  "UserSaid"
])
const comes = (event: Settled): boolean =>
  arrivals.has(event._tag) || ("child" in event && event.child !== undefined) || (event._tag === "FileTouched" && event.by === "user")
export const isArrival = ({ event }: SessionEvent): boolean => comes(event)

/** What calls that run side by side bring: each in the order in which it was recorded. */
const beside: ReadonlySet<Settled["_tag"]> = new Set([
  "BudgetReserved",
  "BudgetSettled",
  "ChildFinished",
  "ChildStarted",
  "ChildrenGathered",
  "FileTouched",
  "ModelRetrying",
  "SynthesisEnded",
  "SynthesisRequested",
  "TodoUpdated",
  "ToolFinished"
])
export const isBeside = ({ _tag }: Settled): boolean => beside.has(_tag)

/** The call that an event speaks of. */
const callOf = (event: Settled | undefined): string | undefined => event !== undefined && "call" in event ? event.call : undefined

/** Where a process of the recorded session took it up: at its start, at a resume, or as a fork. */
export const isLife = ({ event }: SessionEvent): boolean => event._tag === "SessionStarted" || event._tag === "Resumed"

/** Where an answer is not to be waited for any more: the task was stopped, or its process died. */
const stops = (at: SessionEvent): boolean => at.event._tag === "Interrupted" || isLife(at)

/** `rewrites`: an event that comes out otherwise takes the place of the recorded one of its kind, and is no divergence. */
export const make = Effect.fnUntraced(function*(recorded: ReadonlyArray<SessionEvent>, rewrites = false) {
  const events = rewrites ? [...recorded] : recorded as Array<SessionEvent>
  const head = yield* SubscriptionRef.make(-1)

  /** The first counts: what the agent does after it follows from it. */
  let first: Diverged | undefined
  const diverged = (seq: number, actual: Settled | null): Diverged => first ??= new Diverged({ seq, expected: events[seq]?.event ?? null, actual })

  /** Waits until `seq` is the last event of the log. */
  const reached = (seq: number) =>
    SubscriptionRef.changes(head).pipe(Stream.filter((at) => at >= seq), Stream.take(1), Stream.runDrain)

  /** Takes lines that equal the recorded ones; another one is a defect of the agent, which dies of it. */
  const persist = Effect.fnUntraced(function*(lines: ReadonlyArray<Line>, made: ReadonlyArray<Settled>) {
    for (const [i, line] of lines.entries()) {
      const recorded = events[line.seq]
      const event = made[i]!
      if (recorded !== undefined && rewrites && recorded.event._tag === event._tag) events[line.seq] = Chain.event(line, recorded.time, event)
      else if (recorded === undefined || recorded.hash !== line.hash) return yield* Effect.die(diverged(line.seq, event))
      yield* SubscriptionRef.set(head, line.seq)
    }
  })

  /**
   * Holds back what the agent would append while something that came by itself stands next in the log, or something that
   * another call brought beside it.
   */
  const turn = Effect.fnUntraced(function*([first]: ReadonlyArray<Settled>) {
    while (true) {
      const seq = (yield* SubscriptionRef.get(head)) + 1
      const next = events[seq]
      if (next === undefined) return
      if (isArrival(next) ? first !== undefined && comes(first) && next.event._tag === first._tag : !isAnothers(next, first)) return
      yield* reached(seq)
    }
  })

  /** Whether another call's event stands next, and that of `made` behind it. */
  const isAnothers = ({ event, seq }: SessionEvent, made: Settled | undefined): boolean => {
    const call = callOf(made)
    if (call === undefined || callOf(event) === undefined || callOf(event) === call || !isBeside(event)) return false
    const own = events.slice(seq).findIndex((at) => stops(at) || (callOf(at.event) === call && at.event._tag === made?._tag))
    return own > 0 && !stops(events[seq + own]!)
  }

  /**
   * The recorded answer to something that is asked now, when its turn comes; never, where the task was stopped
   * before it came. What stands before it must come by itself, or from what runs beside the asker (`beside`):
   * anything else, nobody is left to bring.
   */
  const answer = <A>(pick: (event: Settled) => A | undefined, beside: (event: Settled) => boolean = () => false) =>
    Effect.gen(function*() {
      const from = (yield* SubscriptionRef.get(head)) + 1
      for (let seq = from; seq < events.length && !stops(events[seq]!); seq++) {
        const at = events[seq]!
        const found = pick(at.event)
        if (found !== undefined) {
          yield* reached(seq - 1)
          return found
        }
        if (!isArrival(at) && !beside(at.event)) return yield* Effect.die(diverged(seq, null))
      }
      return yield* Effect.never
    })

  return {
    /** Whose events come now: a fork's log begins with those of its origin. */
    id: Effect.map(SubscriptionRef.get(head), (head) => {
      const started = events.slice(0, head + 2).findLast(({ event }) => event._tag === "SessionStarted")?.event
      return started?._tag === "SessionStarted" ? started.id : ""
    }),
    events,
    head: SubscriptionRef.get(head),
    changes: SubscriptionRef.changes(head),
    diverged,
    reached,
    persist,
    turn,
    answer,
    time: (seq: number) => Effect.succeed(events[seq]?.time ?? events.at(-1)!.time)
  }
})

export type ReplayLog = Effect.Success<ReturnType<typeof make>>

