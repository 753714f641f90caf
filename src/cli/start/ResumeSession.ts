/** An earlier session that is taken up: itself, or a fork of it. */
import * as Effect from "effect/Effect"
import { Agent } from "../../services/Agent.ts"
import * as Back from "../replay/RewindSession.ts"
import { UsageError } from "../process/CliError.ts"
import type { Values } from "../args/Flags.ts"
import * as Seq from "../Seq.ts"

/** Gives the id of the session to go on with. A fork begins at `--to` (its end), with `--files` in the files of that moment. */
export const take = Effect.fnUntraced(function*(values: Values, session: string) {
  if (values.agent !== undefined) yield* isOf(values.agent, session)
  return values.forkSession === true ? yield* fork(values, session) : session
})

/** A session goes on as the agent that it began with, whatever its file says by now. */
const isOf = Effect.fnUntraced(function*(agent: string, session: string) {
  const { settings } = yield* (yield* Agent).state(session)
  if (settings.agent === agent) return
  return yield* new UsageError({
    message: `--agent is for a session that begins: ${session} ${settings.agent === undefined ? "is of no agent" : `is of the agent ${settings.agent}`}, and goes on so.`
  })
})

export const fork = Effect.fnUntraced(function*({ files, to, yes }: Pick<Values, "files" | "to" | "yes">, origin: string) {
  const agent = yield* Agent
  const at = to === undefined ? undefined : yield* Seq.parse(to)
  const id = yield* agent.fork(origin, { ...(at === undefined ? {} : { at }), wanted: {} })
  const { cwd, seq } = yield* agent.state(id)
  if (files === true) yield* Back.go({ session: id, cwd, back: { to: seq - 1, files, conversation: true, remove: [] }, yes })
  return id
})
