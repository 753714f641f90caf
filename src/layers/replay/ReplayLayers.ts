/** The services of a replayed session: each input is answered from the log, everything else is recomputed. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { optional } from "../../domain/Optional.ts"
import type { LogError } from "../../domain/session/LogError.ts"
import type { Settled } from "../../domain/session/SessionEvent.ts"
import { type Access, machineFacts } from "../../domain/tool/Access.ts"
import { CheckpointError } from "../../domain/workspace/Checkpoint.ts"
import { Approver } from "../../services/Approver.ts"
import { Budget } from "../../services/Budget.ts"
import { Checkpoints, type StorePacks } from "../../services/Checkpoints.ts"
import { Subagents } from "../../services/Subagents.ts"
import { Environment } from "../../services/Environment.ts"
import { EventLog } from "../../services/EventLog.ts"
import { Hooks } from "../../services/extension/Hooks.ts"
import { Intake } from "../../services/Intake.ts"
import { Ids } from "../../services/Ids.ts"
import { BackgroundCommands } from "../../services/BackgroundCommands.ts"
import { CrashReports } from "../../services/process/CrashReports.ts"
import { Tools } from "../../services/Tools.ts"
import { Worktrees } from "../../services/Worktrees.ts"
import * as SessionLogLive from "../storage/SessionLogLive.ts"
import * as Ask from "../agent/Ask.ts"
import { waitOptions } from "../agent/Ask.ts"
import * as ProgramTools from "./ProgramTools.ts"
import { isConcurrent, pickFrom, type ReplayLog } from "./ReplayLog.ts"

export type GetBlob = (hash: string) => Effect.Effect<Uint8Array, LogError>

/** Blobs of the log; what the run itself would store is discarded, unless someone asks for it. */
export interface Blobs {
  readonly getBlob: GetBlob
  readonly putBlob?: (hash: string, bytes: Uint8Array) => void
}

/**
 * The log as a new process would find it: what was replayed so far, and nothing later. A process that is not `alive`
 * any more writes nothing.
 */
export const eventLog = (log: ReplayLog, { getBlob, putBlob = () => {} }: Blobs, alive: () => boolean) =>
  Layer.effect(
    EventLog,
    Effect.gen(function*() {
      const openLog = yield* Effect.cached(Effect.gen(function*() {
        const past = log.events.slice(0, (yield* log.head) + 1)
        const sessionLog = yield* SessionLogLive.make({
          id: yield* log.id,
          past,
          time: log.time,
          persist: (lines, events, _, blobs) =>
            Effect.andThen(Effect.sync(() => blobs.forEach((bytes, hash) => putBlob(hash, bytes))), log.persist(lines, events)),
          committed: log.committed,
          read: (from) => Effect.map(log.head, (head) => log.events.slice(from, head + 1)),
          getBlob,
          putDraft: () => Effect.void,
          getDraft: draft(log, getBlob)
        })
        const append = (events: ReadonlyArray<Settled>, after?: number) =>
          !alive() ? Effect.void
            : Effect.flatMap(
              Effect.andThen(log.turn(events), log.worded(events)),
              (events) => after === undefined ? sessionLog.append(events) : sessionLog.append(events, after)
            )
        return { ...sessionLog, append: append as typeof sessionLog.append }
      }))
      return EventLog.of({
        read: () => Effect.succeed(log.events),
        open: () => openLog,
        fork: (_, at) => Effect.succeed(log.events[at]?.hash ?? "")
      })
    })
  )

/** The content of an unfinished response, as the event that closes it names it. */
const draft = (log: ReplayLog, getBlob: GetBlob) =>
  Effect.gen(function*() {
    const from = (yield* log.head) + 1
    const failure = log.events.slice(from, from + 2).find(({ event }) => event._tag === "ModelFailed")?.event
    return failure?._tag === "ModelFailed" && failure.draft !== null ? yield* getBlob(failure.draft) : null
  })

/** A call's subagents, as recorded: none of them runs. */
export const subagents = (log: ReplayLog) =>
  Layer.succeed(
    Subagents,
    Subagents.of({
      id: (call, index) =>
        log.answer(
          pickFrom("ChildStarted", (event) => event.call === call && event.place === index ? event.session : undefined),
          isConcurrent
        ),
      run: ({ session }) =>
        log.answer(pickFrom("ChildFinished", (event) => event.session === session ? event.report : undefined), isConcurrent)
    })
  )

/** The outcome of their work is in the log; no folder is touched. */
export const worktrees = (log: ReplayLog): Layer.Layer<never> =>
  Layer.succeed(Worktrees, {
    sharingReason: (call) =>
      Effect.map(log.head, (head) => {
        const mergeEvent = log.events.slice(head + 1).find(({ event }) => event._tag === "ChildrenGathered" && event.call === call)?.event
        return mergeEvent?._tag === "ChildrenGathered" ? mergeEvent.shared : undefined
      }),
    open: () => Effect.die(new Error("A replay has no files.")),
    merge: (call) => log.answer(pickFrom("ChildrenGathered", (event) => event.call === call ? event.work : undefined), isConcurrent),
    cleanUp: () => Effect.void,
    keepBranches: () => Effect.succeed([])
  })

export const tools = (log: ReplayLog) =>
  Layer.effect(
    Tools,
    Effect.gen(function*() {
      const live = yield* Tools
      return Tools.of({
        specs: live.specs,
        refresh: ({ seq }) =>
          Effect.sync(() => {
            const next = log.events[seq + 1]?.event
            return next?._tag === "ToolsChanged" ? { offer: next.offer, notes: next.notes } : undefined
          }),
        resolve: ProgramTools.resolve(log, live),
        locate: (call, access) =>
          Effect.map(log.head, (head) => {
            const isProposal = ({ event }: (typeof log.events)[number]) => event._tag === "ToolProposed" && event.call === call.id
            // A call that is judged again before it starts, without another verdict, is as it was.
            const next = log.events.slice(head + 1).find((at) =>
              isProposal(at) || at.event._tag === "ToolStarted" && at.event.call === call.id
            )
            const proposal = (next?.event._tag === "ToolProposed" ? next : log.events.slice(0, head + 1).findLast(isProposal))?.event
            return proposal?._tag === "ToolProposed" ? access.map((one) => ({ ...one, ...machineFactsOf(proposal.access, one) } as Access))
              : access
          }),
        preview: () => Effect.succeed(null),
        failure: ({ id }) =>
          Effect.map(log.head, (head) => {
            const next = log.events.slice(head + 1).find(({ event }) =>
              (event._tag === "ApprovalAsked" || event._tag === "ToolFinished") && event.call === id
            )?.event
            // A call that was interrupted before the question has another outcome.
            return next?._tag === "ToolFinished" && next.outcome.status === "failed" ? next.outcome : undefined
          }),
        changes: live.changes,
        tasks: live.tasks,
        editIntents: (call) =>
          Effect.map(log.head, (head) => {
            const startEvent = log.events.slice(head + 1).find(({ event }) => event._tag === "ToolStarted" && event.call === call.id)?.event
            return startEvent?._tag === "ToolStarted" ? startEvent.intends ?? [] : []
          }),
        probe: ({ id }) => log.answer(pickFrom("ToolProbed", ({ call, found }) => call === id ? found : undefined)),
        run: ({ id }) => log.answer(pickFrom("ToolFinished", ({ call, outcome }) => call === id ? outcome : undefined), isConcurrent)
      })
    })
  )

/** A replay runs no hook: each answer is in the log, and is recomputed from nothing else. */
export const hooks = (log: ReplayLog) =>
  Layer.succeed(
    Hooks,
    Hooks.of({
      answer: ({ point }) =>
        log.answer(pickFrom("HookRan", ({ _tag: _, ...ran }) => ran.hook === point.event && ran.call === point.call ? ran : undefined))
    })
  )

/** The user's input is in the log as it was read. */
export const intake = (log: ReplayLog) =>
  Layer.succeed(
    Intake,
    Intake.of({
      commands: () => Effect.succeed([]),
      read: (_, text) =>
        Effect.map(log.head, (head) => {
          const next = log.events[head + 1]?.event
          return { text, parts: next?._tag === "UserSaid" ? next.parts ?? [] : [] }
        })
    })
  )

export const approver = (log: ReplayLog) =>
  Layer.succeed(
    Approver,
    Approver.of({
      ask: ({ call: { id } }) =>
        log.answer(
          pickFrom("ApprovalDecided", ({ by, call, decision, params, rules, scope, words }) =>
            call === id ? { decision, scope, by, ...optional({ words, params, rules }) }
              : undefined)
        ),
      // Tools ask, too, but their outcomes come from the log: this is whether to wait, or to pay.
      question: () =>
        log.answer((event) => {
          const { _tag } = event
          return _tag === "ModelWaiting" ? { by: "user", text: waitOptions.wait } as const
            : _tag === "BudgetRaised" ? { by: "user", text: Ask.budgetOptions.more } as const
            : event._tag === "LimitRaised" ? { by: "user", text: limitReply(event) } as const
            : _tag === "TaskFailed" ? { by: "user", text: waitOptions.stop } as const
            : undefined
        })
    })
  )

/** The answer that raised a limit. */
const limitReply = ({ limit, more, words }: Extract<Settled, { readonly _tag: "LimitRaised" }>): string =>
  words ?? `+${limit === "time" ? more / 1000 : more}`

export const checkpoints = (log: ReplayLog) => {
  const none = new CheckpointError({ reason: "NotFound", message: "A replay has no files." })
  return Layer.succeed(
    Checkpoints,
    Checkpoints.of({
      begin: () => Effect.void,
      adopt: () => Effect.void,
      forget: () => Effect.void,
      changes: () => Effect.succeed([]),
      save: ({ seq, session, store, why }) =>
        Effect.flatMap(
          store?.joins === undefined ? log.answer(checkpointEvent) : joinedCheckpoint(log, store.joins),
          (event) =>
            event._tag === "CheckpointsOff"
              ? Effect.fail(new CheckpointError({ reason: "Failed", message: event.why }))
              : Effect.succeed({
                id: event.id,
                session,
                seq,
                why,
                counts: event.counts,
                time: 0,
                branch: null,
                head: null,
                ...optional({ pack: event.pack, repository: event.repository })
              })
        ),
      list: () => Effect.succeed([]),
      diff: () => Effect.fail(none),
      preview: () => Effect.succeed([]),
      restore: () => log.answer(pickFrom("Rewound", ({ before }) => before === undefined ? undefined : { before, changes: [] }))
    })
  )
}

type CheckpointEvent = Extract<Settled, { readonly _tag: "CheckpointSaved" | "CheckpointsOff" }>

const checkpointEvent = (event: Settled): CheckpointEvent | undefined =>
  event._tag === "CheckpointSaved" || event._tag === "CheckpointsOff" ? event : undefined

/** The checkpoint logged together with an event that is about to be appended; a fork may end between the two. */
const joinedCheckpoint = (log: ReplayLog, joins: NonNullable<StorePacks["joins"]>) =>
  Effect.map(log.head, (head): CheckpointEvent => {
    const rest = log.events.slice(head + 1)
    const start = rest.findIndex(({ event }) =>
      joins === "rewind" ? event._tag === "Rewound" : event._tag === "ToolFinished" && event.call === joins.call
    )
    const match = rest.slice(Math.max(start, 0)).find(({ event }) =>
      checkpointEvent(event) !== undefined || event._tag === "SessionStarted"
    )
    return (match === undefined ? undefined : checkpointEvent(match.event)) ?? { _tag: "CheckpointsOff", why: "" }
  })

/** What the levels above left is in the log; their reservations are their own. */
export const budget = (log: ReplayLog) =>
  Layer.succeed(
    Budget,
    Budget.of({
      release: () => Effect.void,
      parentLevels: () =>
        Effect.map(log.head, (head) => {
          const next = log.events.slice(head + 1).find(({ event }) => isOwnBudget(event))?.event
          return next !== undefined && "above" in next ? next.above ?? [] : []
        }),
      awaitRelease: () => Effect.succeed(false),
      reserve: () => Effect.succeed(true),
      settle: () => Effect.void
    })
  )

const isOwnBudget = (event: Settled): boolean =>
  event._tag === "BudgetExhausted" || (event._tag === "BudgetReserved" && event.child === undefined)

/** The ids and seed of the session that starts next. */
export const ids = (log: ReplayLog) => {
  const startEvent = Effect.map(log.head, (head) => {
    const next = log.events[head + 1]?.event
    return next?._tag === "SessionStarted" ? next : { id: "", seed: "" }
  })
  return Layer.succeed(Ids, Ids.of({ session: Effect.map(startEvent, ({ id }) => id), seed: Effect.map(startEvent, ({ seed }) => seed) }))
}

/** Home and version as they were for the process to be replayed; a replay reads no variables. */
export const environment = (log: ReplayLog) =>
  Layer.effect(
    Environment,
    Effect.gen(function*() {
      const live = yield* Environment
      const next = (yield* log.head) + 1
      const nextEvent = log.events[next]?.event
      const startEvent = log.events.slice(0, next + 1).findLast(({ event }) => event._tag === "SessionStarted")?.event
      return Environment.of({
        ...live,
        variables: {},
        ...(nextEvent !== undefined && "version" in nextEvent ? { version: nextEvent.version } : {}),
        ...(startEvent?._tag === "SessionStarted" ? { folders: { ...live.folders, home: startEvent.home } } : {})
      })
    })
  )

/** A replay starts no command, and has none to end. */
export const commands = Layer.mock(BackgroundCommands)({ list: () => Effect.succeed([]), stop: () => Effect.void })

/** A recorded defect was reported when it happened. */
export const crashReports = Layer.succeed(CrashReports, { save: () => Effect.succeed(undefined) })

/** Nothing waits: the result of waiting is in the log. */
export const clock = Effect.map(
  Clock.Clock,
  (live): Clock.Clock => Object.assign(Object.create(live) as Clock.Clock, { sleep: () => Effect.void })
)

/** What the recording's machine reported about this access: facts that only a file system or git knows. */
const machineFactsOf = (recorded: ReadonlyArray<Access>, one: Access): Partial<Access> => {
  const subject = (access: Access) => "command" in access ? access.command : "path" in access ? access.path : undefined
  const match = recorded.find((access) => access._tag === one._tag && subject(access) === subject(one)) ?? {}
  return Object.fromEntries(machineFacts.flatMap((fact) => fact in match ? [[fact, match[fact as keyof typeof match]]] : []))
}
