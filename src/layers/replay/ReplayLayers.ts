/** The services of a session that runs again: each crossing is answered from the log, everything else is computed anew. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { ProviderError, type ProviderReason } from "../../domain/provider/ProviderError.ts"
import * as Model from "../../domain/provider/Model.ts"
import type { LogError } from "../../domain/session/LogError.ts"
import type { SessionSettings, Settled } from "../../domain/session/SessionEvent.ts"
import type { Access } from "../../domain/tool/Access.ts"
import * as FactsChange from "../../domain/context/FactsChange.ts"
import { CheckpointError } from "../../domain/workspace/Checkpoint.ts"
import { Approver } from "../../services/Approver.ts"
import { Budget } from "../../services/Budget.ts"
import { Checkpoints } from "../../services/Checkpoints.ts"
import { Children } from "../../services/Subagents.ts"
import { ContextWindow } from "../../services/ContextWindow.ts"
import { Environment } from "../../services/Environment.ts"
import { EventLog } from "../../services/EventLog.ts"
import { Intake } from "../../services/Intake.ts"
import { Ids } from "../../services/Ids.ts"
import { Jobs } from "../../services/BackgroundCommands.ts"
import { Provider } from "../../services/Provider.ts"
import { Tools } from "../../services/Tools.ts"
import { Worktrees } from "../../services/Worktrees.ts"
import * as SessionLogLive from "../storage/SessionLogLive.ts"
import * as AskForMore from "../agent/AskForMore.ts"
import { answers } from "../agent/AskToWait.ts"
import * as Recording from "./Recording.ts"
import { isBeside, type ReplayLog } from "./ReplayLog.ts"

export type GetBlob = (hash: string) => Effect.Effect<Uint8Array, LogError>

/** Blobs of the log; what the run itself would keep goes nowhere, unless someone asks for it. */
export interface Blobs {
  readonly getBlob: GetBlob
  readonly putBlob?: (hash: string, bytes: Uint8Array) => void
}

/** Answers by tag: the value of the first event of that kind that `pick` takes. */
const of = <Tag extends Settled["_tag"], A>(tag: Tag, pick: (event: Extract<Settled, { _tag: Tag }>) => A | undefined) =>
(event: Settled): A | undefined => event._tag === tag ? pick(event as Extract<Settled, { _tag: Tag }>) : undefined

/**
 * The log as a new process would find it: what was replayed so far, and nothing that is yet to come. A process that is
 * not `alive` any more writes nothing.
 */
export const eventLog = (log: ReplayLog, { getBlob, putBlob = () => {} }: Blobs, alive: () => boolean) =>
  Layer.effect(EventLog, Effect.gen(function*() {
    const opened = yield* Effect.cached(Effect.gen(function*() {
      const past = log.events.slice(0, (yield* log.head) + 1)
      const made = yield* SessionLogLive.make({
        id: yield* log.id,
        past,
        time: log.time,
        persist: (lines, made, _, blobs) =>
          Effect.andThen(Effect.sync(() => blobs.forEach((bytes, hash) => putBlob(hash, bytes))), log.persist(lines, made)),
        read: (from) => Effect.map(log.head, (head) => log.events.slice(from, head + 1)),
        getBlob,
        putDraft: () => Effect.void,
        getDraft: draft(log, getBlob)
      })
      const append = (events: ReadonlyArray<Settled>, after?: number) =>
        !alive() ? Effect.void
        : Effect.andThen(log.turn(events), after === undefined ? made.append(events) : made.append(events, after))
      return { ...made, append: append as typeof made.append }
    }))
    return EventLog.of({
      read: () => Effect.succeed(log.events),
      open: () => opened,
      fork: (_, at) => Effect.succeed(log.events[at]?.hash ?? "")
    })
  }))

/** What an unfinished answer had said, as the event that closes it names it. */
const draft = (log: ReplayLog, getBlob: GetBlob) =>
  Effect.gen(function*() {
    const from = (yield* log.head) + 1
    const failed = log.events.slice(from, from + 2).find(({ event }) => event._tag === "ModelFailed")?.event
    return failed?._tag === "ModelFailed" && failed.draft !== null ? yield* getBlob(failed.draft) : null
  })

/** What an attempt comes to; the answer to a request for a summary is the compaction, to one for a synthesis its end. */
type Answered = Extract<Settled, { readonly _tag: "ContextCompacted" | "ModelFailed" | "ModelResponded" | "ModelRetrying" | "SynthesisEnded" }>
const outcomes: ReadonlySet<Settled["_tag"]> = new Set(["ContextCompacted", "ModelFailed", "ModelResponded", "ModelRetrying", "SynthesisEnded"])

/** The description that stands in settings for a model of this name. */
const recorded = ({ cheap, fallback, model, plan }: SessionSettings, name: string): Model.Model =>
  [model, plan?.model, fallback?.model, cheap].find((one) => one !== undefined && Model.spelled(one) === name) ?? model

export const provider = (log: ReplayLog, getBlob: GetBlob) =>
  Layer.effect(Provider, Effect.gen(function*() {
    const live = yield* Provider
    /** What was recorded of an answer. */
    const said = (recording: string | null) =>
      recording === null
        ? Stream.empty
        : Stream.fromIterableEffect(Effect.orDie(Effect.flatMap(getBlob(recording), (bytes) => Recording.decode("", bytes))))
    const error = (settings: SessionSettings["model"], message: string, reason: ProviderReason) =>
      new ProviderError({ provider: settings.provider, message, reason })
    return Provider.of({
      prepare: live.prepare,
      describe: (name) =>
        Effect.map(log.head, (head) => {
          const event = log.events[head + 1]?.event
          return event !== undefined && "settings" in event ? recorded(event.settings, name) : Model.unknown
        }),
      stream: ({ model, request }) =>
        Stream.unwrap(Effect.gen(function*() {
          const outcome = yield* log.answer((event) =>
            outcomes.has(event._tag) ? event as Answered : undefined,
            request.purpose === "synthesis" ? isBeside : undefined
          )
          switch (outcome._tag) {
            case "ContextCompacted":
            case "SynthesisEnded":
              return outcome.recording === undefined
                ? Stream.fail(error(model, outcome.failed ?? "", { _tag: "BadRequest" }))
                : said(outcome.recording)
            case "ModelResponded":
              return said(outcome.recording)
            case "ModelRetrying":
              return Stream.concat(said(outcome.draft ?? null), Stream.fail(error(model, outcome.message, outcome.reason)))
            case "ModelFailed":
              return outcome.reason._tag === "Interrupted" || outcome.reason._tag === "Crashed" ? Stream.never : Stream.concat(
                said(outcome.draft),
                Stream.fail(
                  new ProviderError({
                    provider: outcome.provider,
                    message: outcome.message,
                    reason: outcome.reason,
                    ...(outcome.status === undefined ? {} : { status: outcome.status }),
                    ...(outcome.requestId === undefined ? {} : { requestId: outcome.requestId })
                  })
                )
              )
          }
        }))
    })
  }))

/** What is logged of the facts that a request or a compaction was planned by. */
const gathered: ReadonlySet<Settled["_tag"]> = new Set(["ContextCompacted", "ContextPlanned", "SummaryRequested"])

export const context = (log: ReplayLog) =>
  Layer.effect(ContextWindow, Effect.gen(function*() {
    const live = yield* ContextWindow
    return ContextWindow.of({
      plan: live.plan,
      compact: live.compact,
      report: live.report,
      include: ({ seq }) =>
        Effect.sync(() => {
          const next = log.events[seq + 1]?.event
          return next?._tag === "ContextPlanned" ? next.included ?? [] : []
        }),
      gather: (session) =>
        log.answer((event) => gathered.has(event._tag) ? FactsChange.merge(session.facts, "facts" in event ? event.facts : undefined) : undefined)
    })
  }))

/** A call's children, as they came: none of them runs. */
export const children = (log: ReplayLog) =>
  Layer.succeed(Children, Children.of({
    id: (call, place) => log.answer(of("ChildStarted", (event) => event.call === call && event.place === place ? event.session : undefined), isBeside),
    run: ({ session }) => log.answer(of("ChildFinished", (event) => event.session === session ? event.report : undefined), isBeside)
  }))

/** What became of their work stands in the log; no folder is touched. */
export const worktrees = (log: ReplayLog): Layer.Layer<never> =>
  Layer.succeed(Worktrees, {
    sharing: (call) =>
      Effect.map(log.head, (head) => {
        const gathered = log.events.slice(head + 1).find(({ event }) => event._tag === "ChildrenGathered" && event.call === call)?.event
        return gathered?._tag === "ChildrenGathered" ? gathered.shared : undefined
      }),
    open: () => Effect.die(new Error("A replay has no files.")),
    gather: (call) => log.answer(of("ChildrenGathered", (event) => event.call === call ? event.work : undefined), isBeside),
    tidy: () => Effect.void,
    keep: () => Effect.succeed([])
  })

export const tools = (log: ReplayLog) =>
  Layer.effect(Tools, Effect.gen(function*() {
    const live = yield* Tools
    return Tools.of({
      specs: live.specs,
      renewed: ({ seq }) =>
        Effect.sync(() => {
          const next = log.events[seq + 1]?.event
          return next?._tag === "ToolsChanged" ? { offer: next.offer, notes: next.notes } : undefined
        }),
      understand: live.understand,
      locate: (call, access) =>
        Effect.map(log.head, (head) => {
          const proposed = log.events.slice(head + 1).find(({ event }) => event._tag === "ToolProposed" && event.call === call.id)?.event
          return access.map((one, i) => {
            const recorded = proposed?._tag === "ToolProposed" ? proposed.access[i] : undefined
            return recorded !== undefined && "resolvedPath" in recorded ? { ...one, resolvedPath: recorded.resolvedPath } as Access : one
          })
        }),
      preview: () => Effect.succeed(null),
      changes: live.changes,
      tasks: live.tasks,
      intend: (call) =>
        Effect.map(log.head, (head) => {
          const started = log.events.slice(head + 1).find(({ event }) => event._tag === "ToolStarted" && event.call === call.id)?.event
          return started?._tag === "ToolStarted" ? started.intends ?? [] : []
        }),
      probe: ({ id }) => log.answer(of("ToolProbed", ({ call, found }) => call === id ? found : undefined)),
      run: ({ id }) => log.answer(of("ToolFinished", ({ call, outcome }) => call === id ? outcome : undefined), isBeside)
    })
  }))

/** What the user typed is in the log as it was read. */
export const intake = (log: ReplayLog) =>
  Layer.succeed(Intake, Intake.of({
    commands: () => Effect.succeed([]),
    read: (_, text) => Effect.map(log.head, (head) => {
      const next = log.events[head + 1]?.event
      return { text, parts: next?._tag === "UserSaid" ? next.parts ?? [] : [] }
    })
  }))

export const approver = (log: ReplayLog) =>
  Layer.succeed(Approver, Approver.of({
    ask: ({ call: { id } }) =>
      log.answer(of("ApprovalDecided", ({ by, call, decision, params, scope, words }) =>
        call === id ? { decision, scope, by, ...(words === undefined ? {} : { words }), ...(params === undefined ? {} : { params }) } : undefined)),
    // Tools ask, too, but their outcomes come from the log: this is whether to wait, or to pay.
    question: () =>
      log.answer(({ _tag }) =>
        _tag === "ModelWaiting" ? { by: "user", words: answers.wait } as const
        : _tag === "BudgetRaised" ? { by: "user", words: AskForMore.answers.more } as const
        : _tag === "TaskFailed" ? { by: "user", words: answers.stop } as const
        : undefined)
  }))

export const checkpoints = (log: ReplayLog) => {
  const none = new CheckpointError({ reason: "NotFound", message: "A replay has no files." })
  return Layer.succeed(Checkpoints, Checkpoints.of({
    begin: () => Effect.void,
    adopt: () => Effect.void,
    forget: () => Effect.void,
    changes: () => Effect.succeed([]),
    save: ({ seq, session, why }) =>
      Effect.flatMap(
        log.answer((event) => event._tag === "CheckpointSaved" || event._tag === "CheckpointsOff" ? event : undefined),
        (event) =>
          event._tag === "CheckpointsOff"
            ? Effect.fail(new CheckpointError({ reason: "Failed", message: event.why }))
            : Effect.succeed({ id: event.id, session, seq, why, counts: event.counts, time: 0, branch: null, head: null })
      ),
    list: () => Effect.succeed([]),
    diff: () => Effect.fail(none),
    preview: () => Effect.succeed([]),
    restore: () => log.answer(of("Rewound", ({ before }) => before === undefined ? undefined : { before, changes: [] }))
  }))
}

/** What the levels above left is in the log; what they held is theirs. */
export const budget = (log: ReplayLog) =>
  Layer.succeed(Budget, Budget.of({
    above: () =>
      Effect.map(log.head, (head) => {
        const next = log.events.slice(head + 1).find(({ event }) => isOwnBudget(event))?.event
        return next !== undefined && "above" in next ? next.above ?? [] : []
      }),
    freed: () => Effect.succeed(false),
    hold: () => Effect.succeed(true),
    settle: () => Effect.void
  }))

const isOwnBudget = (event: Settled): boolean =>
  event._tag === "BudgetExhausted" || (event._tag === "BudgetReserved" && event.child === undefined)

/** Those of the session that starts next. */
export const ids = (log: ReplayLog) => {
  const started = Effect.map(log.head, (head) => {
    const next = log.events[head + 1]?.event
    return next?._tag === "SessionStarted" ? next : { id: "", seed: "" }
  })
  return Layer.succeed(Ids, Ids.of({ session: Effect.map(started, ({ id }) => id), seed: Effect.map(started, ({ seed }) => seed) }))
}

/** Home and version as they were for the process that is about to run again; a replay reads no variable. */
export const environment = (log: ReplayLog) =>
  Layer.effect(Environment, Effect.gen(function*() {
    const live = yield* Environment
    const next = (yield* log.head) + 1
    const begins = log.events[next]?.event
    const started = log.events.slice(0, next + 1).findLast(({ event }) => event._tag === "SessionStarted")?.event
    return Environment.of({
      ...live,
      variables: {},
      ...(begins !== undefined && "dacapo" in begins ? { version: begins.dacapo } : {}),
      ...(started?._tag === "SessionStarted" ? { folders: { ...live.folders, home: started.home } } : {})
    })
  }))

/** A replay starts no command, and has none to end. */
export const jobs = Layer.mock(Jobs)({ stop: () => Effect.void })

/** Nobody waits: what was waited for is in the log. */
export const clock = Effect.map(Clock.Clock, (live): Clock.Clock =>
  Object.assign(Object.create(live) as Clock.Clock, { sleep: () => Effect.void }))
