/**
 * The control protocol over the agent: every face that a program, an editor or a page talks to runs its operations and follows its
 * client events through here.
 */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { ClientEvent } from "../../domain/control/ClientEvent.ts"
import { ControlError, Detached, Operation, type Image, type OperationResult } from "../../domain/control/Operation.ts"
import type { SettingsError } from "../../domain/config/SettingsError.ts"
import * as UserMessage from "../../domain/message/UserMessage.ts"
import * as Model from "../../domain/provider/Model.ts"
import type { ProviderError } from "../../domain/provider/ProviderError.ts"
import type { LogError } from "../../domain/session/LogError.ts"
import type { CheckpointError } from "../../domain/workspace/Checkpoint.ts"
import * as FileKind from "../../domain/workspace/FileKind.ts"
import { Agent, type SessionOptions } from "../../services/Agent.ts"
import { EventLog } from "../../services/EventLog.ts"
import { Settings } from "../../services/Settings.ts"
import { Storage } from "../../services/Storage.ts"
import * as Digest from "../storage/Digest.ts"
import type { PendingRequests } from "./PendingRequests.ts"

type OperationFailure = CheckpointError | ControlError | LogError | ProviderError | SettingsError
type Start = Extract<Operation, { readonly _tag: "Start" }>

/** `pending` is also the agent's approver. `resolve` completes the options of a new session from settings and flags. */
export interface Options<E> {
  readonly pending: PendingRequests
  readonly resolve: (start: Start) => Effect.Effect<SessionOptions, E>
}

/**
 * `events`: the settled events of a session from `from` on, then all that happens, its requests and those of its subagents among
 * it. Nobody waits for a slow client: it loses live events, and is detached when it is `maxLag` events behind.
 */
export interface Controller<E> {
  readonly run: (operation: Operation) => Effect.Effect<OperationResult, E | OperationFailure>
  readonly events: (session: string, from: number) => Stream.Stream<ClientEvent, Detached | LogError>
  /** Waits until nothing runs in the session any more. */
  readonly settled: (session: string) => Effect.Effect<void, LogError>
}

/** How many events may wait for a client. */
export const maxLag = 2_000

/** The controller of the sessions of one agent; `pending` must be the approver that this agent was built with. */
export const make = Effect.fnUntraced(function*<E>({ pending, resolve }: Options<E>) {
  const agent = yield* Agent
  const eventLog = yield* EventLog
  const settings = yield* Settings
  const storage = yield* Storage

  /** Whether a session is this one, or a subagent below it. A request without a session is for everyone. */
  const belongs = (session: string, root: string): Effect.Effect<boolean> =>
    session === root
      ? Effect.succeed(true)
      : agent.state(session).pipe(
        Effect.flatMap(({ parent }) => parent === undefined ? Effect.succeed(false) : belongs(parent, root)),
        Effect.orElseSucceed(() => false)
      )

  /** Stored, and mentioned at the end of the text. */
  const attach = Effect.fnUntraced(function*({ data }: Image) {
    const bytes = Buffer.from(data, "base64")
    if (FileKind.of("", bytes)?._tag !== "Image")
      return yield* new ControlError({ reason: "Invalid", message: "An image is not the base64 of a PNG, JPEG, GIF or WebP file." })
    if (bytes.length > UserMessage.limits.attachment)
      return yield* new ControlError({ reason: "Invalid", message: `An image is larger than ${UserMessage.limits.attachment} bytes.` })
    const blob = Digest.sha256(bytes)
    yield* storage.putBlob(blob, bytes)
    return `@${UserMessage.path(blob)}`
  })

  const run: Controller<E>["run"] = Operation.match({
    Start: (start) => Effect.flatMap(resolve(start), (options) => asResult(agent.start(options))),
    Say: Effect.fnUntraced(function*({ delivery, images = [], key, session, text }) {
      const mentions = yield* Effect.forEach(images, attach)
      const message = [text, ...mentions].filter((part) => part !== "").join("\n")
      const problem = UserMessage.messageProblem(message)
      if (problem !== undefined) return yield* new ControlError({ reason: "Invalid", message: problem })
      yield* agent.say(session, message, delivery, "user", key)
      return { session }
    }),
    Answer: Effect.fnUntraced(function*({ _tag, action, request, session, ...answer }) {
      const pendingRequest = pending.list().find(({ id }) => id === request)
      yield* pending.answer(request, action, answer)
      const rules = pendingRequest?._tag === "Approval" && answer.decision === "allow" && answer.scope === "always"
        ? pendingRequest.offer : []
      for (const rule of rules) yield* settings.allow((yield* agent.state(session)).cwd, rule)
      return { session }
    }),
    Reply: ({ request, session, text }) =>
      Effect.as(pending.reply(request, text === undefined ? { by: "nobody" } : { by: "user", text }), { session }),
    Continue: ({ session }) => Effect.as(agent.resume(session, { overrides: {}, shouldContinue: true }), { session }),
    Interrupt: ({ session, why = "Interrupted by the user." }) =>
      Effect.gen(function*() {
        yield* agent.state(session)
        yield* agent.interrupt(session, why)
        return { session }
      }),
    SetMode: ({ mode, session }) => Effect.as(agent.switchMode(session, mode), { session }),
    SetModel: ({ model, session }) => Effect.as(agent.switchModel(session, model), { session }),
    SetEffort: Effect.fnUntraced(function*({ effort, session }) {
      const { settings: { model } } = yield* agent.state(session)
      yield* agent.switchModel(session, `${Model.title(model)}:${effort}`)
      return { session }
    }),
    SetTodo: ({ items, session }) => Effect.as(agent.setTodo(session, items), { session }),
    Compact: ({ instructions, session }) => Effect.as(agent.compact(session, instructions), { session }),
    Rewind: ({ _tag, remove = [], session, ...options }) =>
      Effect.map(agent.rewind(session, { ...options, remove }), (result) => ({ session, ...result })),
    Fork: ({ at, session }) => asResult(agent.fork(session, { overrides: {}, ...(at === undefined ? {} : { at }) })),
    Replay: ({ from, session, to = Infinity }) =>
      Effect.map(eventLog.read(session), (events) => ({ session, events: events.filter(({ seq }) => seq >= from && seq <= to) }))
  })

  const events: Controller<E>["events"] = (session, from) =>
    Stream.callback<ClientEvent, Detached | LogError>((queue) =>
      Effect.gen(function*() {
        const { seq: pastSeq } = yield* agent.state(session)
        let lastSeq = from - 1
        const push = (event: ClientEvent, isLive: boolean): Effect.Effect<void, Detached> => {
          if (isLive && Queue.sizeUnsafe(queue) > maxLag / 2) return Effect.void
          return Queue.offerUnsafe(queue, event) ? Effect.void : new Detached({ session, seq: lastSeq })
        }
        const requests = yield* Queue.unbounded<ClientEvent & { readonly _tag: "Requested" | "Resolved" }>()
        yield* Effect.acquireRelease(
          Effect.sync(() => pending.subscribe((event) => Queue.offerUnsafe(requests, event))),
          (unsubscribe) => Effect.sync(unsubscribe)
        )
        const followRequests = Stream.fromQueue(requests).pipe(
          Stream.runForEach(Effect.fnUntraced(function*(event) {
            const asking = event._tag === "Requested" ? event.request.session : event.session
            if (asking === undefined || (yield* belongs(asking, session))) yield* push(event, false)
          }))
        )
        const followLog = agent.follow(session, from).pipe(
          Stream.runForEach((event) => {
            if (event._tag !== "Settled") return push(event, true)
            // What is past is read at the client's own pace.
            const delivery = event.at.seq <= pastSeq ? Effect.asVoid(Queue.offer(queue, event)) : push(event, false)
            return Effect.map(delivery, () => void (lastSeq = event.at.seq))
          })
        )
        yield* Effect.raceFirst(followRequests, followLog)
      }).pipe(Effect.catchCause((cause) => Queue.failCause(queue, cause))), { bufferSize: maxLag, strategy: "suspend" })

  return { run, events, settled: (session) => Effect.asVoid(agent.settled(session)) } satisfies Controller<E>
})

const asResult = <E>(session: Effect.Effect<string, E>) => Effect.map(session, (id): OperationResult => ({ session: id }))
