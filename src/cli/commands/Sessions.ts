/** `dacapo sessions …`: what is kept, one action a line of the table. */
import * as Effect from "effect/Effect"
import type { Given, Run } from "../Commands.ts"
import { UsageError } from "../process/CliError.ts"
import type { Failure } from "../process/ExitCode.ts"
import type { Conclusion } from "../process/Conclusion.ts"
import type { Host } from "../process/Host.ts"
import * as Carry from "./sessions/exportImport.ts"
import * as Change from "./sessions/change.ts"
import * as Look from "./sessions/show.ts"
import * as Remove from "./sessions/remove.ts"
import { type Records, Wiring } from "../process/AgentLayers.ts"

/** `words` are those behind the action's name. */
export type Action = (given: Given) => Effect.Effect<number, Failure, Conclusion | Host | Records | Wiring>

const actions: Readonly<Record<string, Action>> = {
  archive: Change.archive,
  backup: Carry.backup,
  delete: Remove.remove,
  export: Carry.write,
  fork: Change.fork,
  import: Carry.read,
  list: Look.list,
  name: Change.name,
  prune: Remove.prune,
  rm: Remove.remove,
  search: Look.search,
  show: Look.show
}

export const run: Run = Effect.fnUntraced(function*(given) {
  const [action = "list", ...words] = given.words
  const { records } = yield* Wiring
  const perform = Object.hasOwn(actions, action) ? actions[action] : undefined
  if (perform === undefined) {
    return yield* new UsageError({ message: `\`dacapo sessions\` knows ${Object.keys(actions).join(", ")}; "${action}" is none of them.` })
  }
  return yield* Effect.provide(perform({ ...given, words }), records)
})
