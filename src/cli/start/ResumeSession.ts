/** Resumes an earlier session, or a fork of it. */
import * as Effect from "effect/Effect"
import { optional } from "../../domain/Optional.ts"
import { Agent } from "../../services/Agent.ts"
import { EventLog } from "../../services/EventLog.ts"
import * as MessageId from "../render/json/MessageId.ts"
import * as RewindSession from "../replay/RewindSession.ts"
import { UsageError } from "../process/CliError.ts"
import type { Values } from "../args/Flags.ts"
import * as FindSession from "./FindSession.ts"

/**
 * The id of the session to continue. A fork starts at `--to` (default: the end), and `--files` also restores the files. With
 * `--resume-session-at` the conversation continues after that message: in the fork, or rewound in the session itself.
 */
export const resume = Effect.fnUntraced(function*(values: Values, session: string) {
  if (values.agent !== undefined) yield* checkAgent(values.agent, session)
  const at = values.resumeSessionAt === undefined ? undefined : yield* eventOf(session, values.resumeSessionAt)
  if (values.forkSession === true) return yield* fork(at === undefined ? values : { ...values, to: `${at}` }, session)
  if (at !== undefined) yield* (yield* Agent).rewind(session, { to: at, files: false, conversation: true, remove: [] })
  return session
})

/** The event of the message with this uuid. */
const eventOf = Effect.fnUntraced(function*(session: string, uuid: string) {
  const events = yield* (yield* EventLog).read(session)
  const event = events.find(({ hash }) => MessageId.ofHash(hash) === uuid.toLowerCase())
  return event === undefined ? yield* new UsageError({ message: `Session ${session} has no message ${uuid}.` }) : event.seq
})

/** A session keeps the agent profile that it started with, even if the file changed. */
const checkAgent = Effect.fnUntraced(function*(agent: string, session: string) {
  const { settings } = yield* (yield* Agent).state(session)
  if (settings.agent === agent) return
  const current = settings.agent === undefined ? "has no agent" : `uses the agent ${settings.agent}`
  return yield* new UsageError({ message: `--agent is only for new sessions. Session ${session} ${current}.` })
})

export const fork = Effect.fnUntraced(function*(values: Values, origin: string) {
  const { files, to } = values
  const agent = yield* Agent
  const at = to === undefined ? undefined : yield* FindSession.parse(to)
  const id = yield* agent.fork(origin, { ...optional({ at }), overrides: {} })
  const { cwd, seq } = yield* agent.state(id)
  if (files === true) {
    yield* RewindSession.rewind({ session: id, cwd, target: { to: seq - 1, files, conversation: true, remove: [] }, values })
  }
  return id
})
