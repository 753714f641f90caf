/** Runs the operations of the control protocol on the agent. */
import * as Effect from "effect/Effect"
import { ControlError } from "../../domain/control/ControlError.ts"
import { type Image, Operation, type OperationResult, type Start } from "../../domain/control/Operation.ts"
import type { OperationFailure } from "../../domain/control/OperationFailure.ts"
import * as UserMessage from "../../domain/message/UserMessage.ts"
import * as Model from "../../domain/provider/Model.ts"
import * as FileKind from "../../domain/workspace/FileKind.ts"
import { Agent, type SessionOptions } from "../../services/Agent.ts"
import { EventLog } from "../../services/EventLog.ts"
import { Settings } from "../../services/Settings.ts"
import { Storage } from "../../services/Storage.ts"
import * as Digest from "../storage/Digest.ts"
import type { PendingRequests } from "./PendingRequests.ts"

/** `resolve` completes the options of a new session. */
export const make = Effect.fnUntraced(function*<E>(pending: PendingRequests, resolve: (start: Start) => Effect.Effect<SessionOptions, E>) {
  const agent = yield* Agent
  const eventLog = yield* EventLog
  const settings = yield* Settings
  const storage = yield* Storage

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

  const run: (operation: Operation) => Effect.Effect<OperationResult, ControlError | E | OperationFailure> = Operation.match({
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

  return run
})

const asResult = <E>(session: Effect.Effect<string, E>) => Effect.map(session, (id): OperationResult => ({ session: id }))
