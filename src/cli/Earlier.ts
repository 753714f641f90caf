/** An earlier session that is taken up: itself, or a fork of it. */
import * as Effect from "effect/Effect"
import { Agent } from "../services/Agent.ts"
import * as Back from "./Back.ts"
import type { Values } from "./Flags.ts"
import * as Seq from "./Seq.ts"

/** Gives the id of the session to go on with. A fork begins at `--to` (its end), with `--files` in the files of that moment. */
export const take = Effect.fnUntraced(function*(values: Values, session: string) {
  return values.forkSession === true ? yield* fork(values, session) : session
})

export const fork = Effect.fnUntraced(function*({ files, to, yes }: Pick<Values, "files" | "to" | "yes">, origin: string) {
  const agent = yield* Agent
  const at = to === undefined ? undefined : yield* Seq.parse(to)
  const id = yield* agent.fork(origin, { ...(at === undefined ? {} : { at }), wanted: {} })
  const { cwd, seq } = yield* agent.state(id)
  if (files === true) yield* Back.go({ session: id, cwd, back: { to: seq - 1, files, conversation: true, remove: [] }, yes })
  return id
})
