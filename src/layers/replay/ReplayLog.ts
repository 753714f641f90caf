/**
 * A recorded log as the counterpart of a replay: it accepts what the agent appends only if it equals the recording, and
 * releases each input when the log has reached its place.
 */
import * as Effect from "effect/Effect"
import { Stale } from "../../domain/session/LogError.ts"
import * as Session from "../../domain/session/Session.ts"
import type { SessionEvent, Settled } from "../../domain/session/SessionEvent.ts"
import * as Step from "../../domain/session/Step.ts"
import * as RecordedTexts from "../../domain/session/RecordedTexts.ts"
import type { Line } from "../../services/Storage.ts"
import * as HashChain from "../storage/HashChain.ts"
import { Diverged } from "./Diverged.ts"

/** External events that are not responses: the replay injects them when the log reaches them. */
const inputTags: ReadonlySet<Settled["_tag"]> = new Set([
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
const isInputEvent = (event: Settled): boolean =>
  inputTags.has(event._tag) || ("child" in event && event.child !== undefined) ||
  ((event._tag === "FileTouched" || event._tag === "TodoUpdated") && event.by === "user") ||
  (event._tag === "HookRan" && event.hook === "SessionEnd")
export const isInput = ({ event }: SessionEvent): boolean => isInputEvent(event)

/** Events of concurrent calls: each in its recorded order. */
const concurrentTags: ReadonlySet<Settled["_tag"]> = new Set([
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
export const isConcurrent = ({ _tag }: Settled): boolean => concurrentTags.has(_tag)

/** The call that an event concerns. */
const callOf = (event: Settled | undefined): string | undefined => event !== undefined && "call" in event ? event.call : undefined

/**
 * Where a process of the recorded session began: at its start, at a resume, or as a fork. A rewind waits until nothing runs: where
 * a step was still due, the process that should have taken it had died, and the rewind was the first thing that the next one did.
 */
const startsOf = (events: ReadonlyArray<SessionEvent>): ReadonlySet<number> =>
  new Set(events.flatMap(({ event: { _tag }, seq }) =>
    _tag === "SessionStarted" || _tag === "Resumed" ||
      (_tag === "Rewound" && Step.next(Session.fold(events.slice(0, seq)))._tag !== "Rest")
      ? [seq]
      : []
  ))

/** Where the recorded loop died of a defect. */
const isDefect = (event: Settled | undefined): boolean => event?._tag === "TaskFailed" && event.reason === "defect"

/** `rewrites`: an event that differs replaces the recorded one of its kind, and is not a divergence. */
export const make = (recorded: ReadonlyArray<SessionEvent>, rewrites = false) => {
  const events = rewrites ? [...recorded] : recorded as Array<SessionEvent>
  let head = -1
  const waiters = new Set<{ readonly seq: number; readonly resume: () => void }>()
  const starts = startsOf(events)
  const isStart = ({ seq }: SessionEvent): boolean => starts.has(seq)
  /** Where to stop waiting for a response: the task was stopped, its loop died, or its process. */
  const isEnd = (at: SessionEvent): boolean => at.event._tag === "Interrupted" || isDefect(at.event) || isStart(at)

  /** The first one counts: everything the agent does later follows from it. */
  let firstDivergence: Diverged | undefined
  const diverged = (seq: number, actual: Settled | null): Diverged =>
    firstDivergence ??= new Diverged({ seq, expected: events[seq]?.event ?? null, actual })

  const recordedDefect = Effect.die(new Error("The recorded loop died here."))

  /** Waits until `seq` is the last event of the log: also what must not be interrupted ends here with its process. */
  const reached = (seq: number) =>
    Effect.interruptible(Effect.callback<void>((resume) => {
      if (head >= seq) return resume(Effect.void)
      const waiter = { seq, resume: () => resume(Effect.void) }
      waiters.add(waiter)
      return Effect.sync(() => void waiters.delete(waiter))
    }))

  /**
   * Accepts lines that equal the recorded ones; any other is a defect, which ends the agent. A fork may contain only
   * the beginning of a batch: the rest was never appended, and neither was anything that would follow from it.
   */
  const persist = Effect.fnUntraced(function*(lines: ReadonlyArray<Line>, newEvents: ReadonlyArray<SessionEvent>) {
    for (const [i, line] of lines.entries()) {
      const recorded = events[line.seq]
      const { event } = newEvents[i]!
      if (i > 0 && recorded?.event._tag === "SessionStarted" && event._tag !== "SessionStarted") {
        yield* committed(line.seq - 1)
        return yield* Effect.interruptible(Effect.never)
      }
      if (recorded !== undefined && rewrites && recorded.event._tag === event._tag)
        events[line.seq] = HashChain.event(line, recorded.time, event)
      else if (recorded === undefined || recorded.hash !== line.hash) return yield* Effect.die(diverged(line.seq, event))
    }
  })

  /** The session's state includes the events up to this one: before that, nobody may take them as the past. */
  const committed = (seq: number) =>
    Effect.sync(() => {
      head = seq
      const due = [...waiters].filter((waiter) => waiter.seq <= seq)
      for (const waiter of due) waiters.delete(waiter)
      for (const { resume } of due) resume()
    })

  /** Events about to be appended, with the texts of those recorded in their places. Events of concurrent calls may stand between. */
  const withRecordedTexts = (appended: ReadonlyArray<Settled>) =>
    Effect.sync(() => {
      let seq = head + 1
      return appended.map((event) => {
        const isOther = (next: Settled): boolean => isConcurrent(next) && callOf(next) !== callOf(event)
        while (seq < events.length && isOther(events[seq]!.event)) seq++
        const next = events[seq]?.event
        if (next?._tag !== event._tag) return event
        seq++
        return RecordedTexts.adopt(event, next)
      })
    })

  /** Holds back what the agent would append while an external event, or one of a concurrent call, is next in the log. */
  const turn = Effect.fnUntraced(function*([first]: ReadonlyArray<Settled>) {
    while (true) {
      if (firstDivergence !== undefined) return yield* Effect.die(firstDivergence)
      const seq = head + 1
      const next = events[seq]
      if (next === undefined) return
      if (isDefect(next.event) && !isDefect(first)) return yield* recordedDefect
      if (isInput(next) ? first !== undefined && isInputEvent(first) && next.event._tag === first._tag : !isOfOtherCall(next, first)) return
      yield* reached(seq)
    }
  })

  /** Whether another call's event is next, and that of `made` after it. */
  const isOfOtherCall = ({ event, seq }: SessionEvent, candidate: Settled | undefined): boolean => {
    const call = callOf(candidate)
    if (call === undefined || callOf(event) === undefined || callOf(event) === call || !isConcurrent(event)) return false
    const index = events.slice(seq).findIndex((at) => isEnd(at) || (callOf(at.event) === call && at.event._tag === candidate?._tag))
    return index > 0 && !isEnd(events[seq + index]!)
  }

  /** Whether it ends a call that a new task found open: that comes together with the user's message. */
  const isEndOfOpenCall = (seq: number): boolean => {
    const previous = events.slice(0, seq + 1).findLast(({ event }) => event._tag !== "ToolFinished")
    return events[seq]!.event._tag === "ToolFinished" && previous?.event._tag === "UserSaid"
  }

  /**
   * The recorded response to a request made now, when its turn comes; never, if the task was stopped before. Everything
   * before it must be an external event, or come from concurrent calls (`canSkip`): nothing else could still arrive. If
   * something else follows an external event, the step that asks was overtaken by that event, and is decided again.
   */
  const answer = <A>(pick: (event: Settled) => A | undefined, canSkip: (event: Settled) => boolean = () => false) =>
    Effect.gen(function*() {
      const from = head + 1
      let isOvertaken = false
      for (let seq = from; seq < events.length; seq++) {
        const at = events[seq]!
        if (isDefect(at.event)) return yield* Effect.andThen(reached(seq - 1), recordedDefect)
        const value = pick(at.event)
        if (value !== undefined) {
          yield* reached(seq - 1)
          return value
        }
        if (isEnd(at)) break
        if (!isInput(at) && !canSkip(at.event) && !isEndOfOpenCall(seq))
          return yield* isOvertaken || wasOvertaken(from) ? Effect.andThen(reached(seq - 1), overtaken(seq))
            : Effect.die(diverged(seq, null))
        isOvertaken ||= isInput(at)
      }
      return yield* Effect.interruptible(Effect.never)
    })

  /** Where a step may have been decided before the external event that was just delivered: once, then it diverges. */
  const overtakenAt = new Set<number>()
  const wasOvertaken = (seq: number): boolean => {
    const previous = events[seq - 1]
    if (previous === undefined || !isInput(previous) || overtakenAt.has(seq)) return false
    overtakenAt.add(seq)
    return true
  }

  /** Services that answer without failing have no place for it in their types: the loop is where it is caught. */
  const overtaken = (seq: number) => Effect.fail(new Stale({ after: seq - 1 })) as unknown as Effect.Effect<never>

  return {
    /** The session whose events come next: a fork's log begins with those of its origin. */
    id: Effect.sync(() => {
      const startEvent = events.slice(0, head + 2).findLast(({ event }) => event._tag === "SessionStarted")?.event
      return startEvent?._tag === "SessionStarted" ? startEvent.id : ""
    }),
    events,
    /** Where a process of the recorded session began. */
    isStart,
    /** The names of tools whose calls were proposed as recorded, because this program does not have them. */
    programTools: new Set<string>(),
    /** The names of providers whose requests were taken as recorded, because this program does not have their routes. */
    programProviders: new Set<string>(),
    head: Effect.sync(() => head),
    diverged,
    reached,
    persist,
    committed,
    turn,
    worded: withRecordedTexts,
    answer,
    time: (seq: number) => Effect.succeed(events[seq]?.time ?? events.at(-1)!.time)
  }
}

export type ReplayLog = ReturnType<typeof make>

/** Answers by tag: the value of the first event of that kind that `pick` accepts. */
export const pickFrom =
  <Tag extends Settled["_tag"], A>(tag: Tag, pick: (event: Extract<Settled, { _tag: Tag }>) => A | undefined) =>
  (event: Settled): A | undefined => event._tag === tag ? pick(event as Extract<Settled, { _tag: Tag }>) : undefined
