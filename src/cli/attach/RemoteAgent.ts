/**
 * The agent of a running server, for a terminal that is attached to it: operations are sent there, events come from there, and requests
 * of its sessions are put to this terminal's approver until any client has answered them.
 */
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { optional } from "../../domain/Optional.ts"
import type { Operation } from "../../domain/control/Operation.ts"
import type { OperationFailure } from "../../domain/control/OperationFailure.ts"
import type { PendingRequest } from "../../domain/control/PendingRequest.ts"
import { LogError } from "../../domain/session/LogError.ts"
import * as Session from "../../domain/session/Session.ts"
import type { Followed, SessionEvent } from "../../domain/session/SessionEvent.ts"
import { Agent } from "../../services/Agent.ts"
import { Approver } from "../../services/Approver.ts"
import { EventLog } from "../../services/EventLog.ts"
import * as ErrorMessage from "../process/ErrorMessage.ts"
import type { ServerConnection } from "./ServerConnection.ts"
import type { WireError } from "./Wire.ts"

/** The server's own error if the caller expects its kind; any other is one of the server. */
const expected = <Tag extends OperationFailure["_tag"]>(session: string, ...tags: ReadonlyArray<Tag>) => (error: WireError) =>
  error._tag === "LogError" || (tags as ReadonlyArray<string>).includes(error._tag)
    ? error as LogError | Extract<OperationFailure, { readonly _tag: Tag }>
    : new LogError({ session, message: ErrorMessage.sentence(error), reason: { _tag: "Server" } })

const logError = (session: string) => expected<"LogError">(session)

/** Reads logs of the server. It is the server that writes them. */
export const eventLog = (server: ServerConnection): Layer.Layer<EventLog> => {
  const writes = (session: string) => new LogError({ session, message: "The server writes this session.", reason: { _tag: "Server" } })
  return Layer.succeed(
    EventLog,
    EventLog.of({
      read: (session) => Effect.mapError(readEvents(server, session, 0), logError(session)),
      open: (session) => Effect.fail(writes(session)),
      fork: (session) => Effect.fail(writes(session))
    })
  )
}

const readEvents = (server: ServerConnection, session: string, from: number) =>
  Effect.map(server.operate({ _tag: "Replay", session, from }), ({ events = [] }) => events)

export const layer = (server: ServerConnection): Layer.Layer<Agent, never, Approver> =>
  Layer.effect(
    Agent,
    Effect.gen(function*() {
      const approver = yield* Approver
      const prompts = yield* FiberMap.make<string>()
      const states = new Map<string, Session.Session>()

      const operate = <Tag extends OperationFailure["_tag"] = "LogError">(
        session: string,
        operation: Operation,
        ...tags: ReadonlyArray<Tag>
      ) => Effect.mapError(server.operate(operation), expected(session, ...tags))

      const state = Effect.fnUntraced(function*(session: string) {
        const cached = states.get(session) ?? Session.empty
        const events = yield* Effect.mapError(readEvents(server, session, cached.seq + 1), logError(session))
        const isComplete = events.every((event) => Session.isInHistory(cached, event))
        const current = isComplete
          ? events.reduce(Session.apply, cached)
          : Session.fold(yield* Effect.mapError(readEvents(server, session, 0), logError(session)))
        // Reads may overlap: the one that saw more counts.
        if (current.seq >= (states.get(session)?.seq ?? -1)) states.set(session, current)
        return current
      })

      /** Puts a request to the user; the first answer of any client counts. */
      const ask = (session: string, request: PendingRequest) =>
        Effect.gen(function*() {
          if (request._tag === "Question") {
            const reply = yield* approver.question(request.text, request.options, request.session)
            return yield* server.operate({
              _tag: "Reply",
              session,
              request: request.id,
              ...(reply.by === "user" ? { text: reply.text } : {})
            })
          }
          const { _tag, id, ...question } = request
          const { by, ...answer } = yield* approver.ask(question)
          return by === "nobody" ? undefined
            : yield* server.operate({ _tag: "Answer", session, request: id, action: request.action, ...answer })
        }).pipe(Effect.ignore)

      const follow = (session: string, from: number): Stream.Stream<Followed, LogError> =>
        Stream.unwrap(Effect.map(state(session), ({ parent }) =>
          server.follow(session, from).pipe(
            Stream.mapError(logError(session)),
            Stream.mapEffect((event): Effect.Effect<Followed | undefined> => {
              if (event._tag !== "Requested" && event._tag !== "Resolved") return Effect.succeed(event)
              // Requests of subagents also come with the events of the session that started them.
              if (parent !== undefined) return Effect.succeed(undefined)
              const asking = event._tag === "Resolved" ? FiberMap.remove(prompts, event.id)
                : FiberMap.run(prompts, event.request.id, ask(session, event.request), { onlyIfMissing: true })
              return Effect.as(asking, undefined)
            }),
            Stream.filter((event) => event !== undefined)
          )))

      const isSettled = ({ task, windowUsage }: Session.Session): boolean => task.state !== "running" && !windowUsage.isRequested

      const settled = Effect.fnUntraced(function*(session: string) {
        const current = yield* state(session)
        if (isSettled(current)) return current
        yield* server.follow(session, current.seq + 1).pipe(
          Stream.mapError(logError(session)),
          Stream.filter((event) => event._tag === "Settled" && endTags.has(event.at.event._tag)),
          Stream.mapEffect(() => state(session)),
          Stream.takeUntil(isSettled),
          Stream.runDrain
        )
        return yield* state(session)
      })

      return Agent.of({
        start: ({ cwd, mode, model, name }) =>
          Effect.map(
            operate(
              "",
              {
                _tag: "Start",
                cwd,
                model,
                ...(mode === undefined ? {} : { mode }),
                ...(name === undefined ? {} : { name })
              },
              "ProviderError",
              "SettingsError"
            ),
            ({ session }) => session
          ),
        // The settings of a session are the server's; only a model is chosen here.
        resume: (session, { overrides: { model }, shouldContinue }) =>
          shouldContinue ? Effect.asVoid(operate(session, { _tag: "Continue", session }, "ProviderError", "SettingsError"))
            : model === undefined ? Effect.asVoid(state(session))
            : Effect.asVoid(operate(session, { _tag: "SetModel", session, model }, "ProviderError", "SettingsError")),
        rewind: (session, options) =>
          Effect.map(
            operate(session, { _tag: "Rewind", session, ...options }, "CheckpointError"),
            ({ changes = [], remaining = [] }) => ({ changes, remaining })
          ),
        fork: (session, { at }) =>
          Effect.map(
            operate(session, { _tag: "Fork", session, ...(at === undefined ? {} : { at }) }, "ProviderError", "SettingsError"),
            (result) => result.session
          ),
        say: (session, text, delivery, _, key) =>
          Effect.asVoid(operate(session, { _tag: "Say", session, text, ...optional({ delivery, key }) })),
        switchMode: (session, mode) => Effect.asVoid(operate(session, { _tag: "SetMode", session, mode })),
        switchModel: (session, model) =>
          Effect.asVoid(operate(session, { _tag: "SetModel", session, model }, "ProviderError", "SettingsError")),
        compact: (session, instructions) =>
          Effect.asVoid(operate(session, { _tag: "Compact", session, ...(instructions === undefined ? {} : { instructions }) })),
        interrupt: (session, why) => Effect.ignore(operate(session, { _tag: "Interrupt", session, why })),
        settled,
        state,
        follow
      })
    })
  )

/** Events after which a task may be over. */
const endTags: ReadonlySet<SessionEvent["event"]["_tag"]> = new Set([
  "CheckpointSaved",
  "ContextCompacted",
  "Interrupted",
  "TaskFailed",
  "TaskFinished"
])
