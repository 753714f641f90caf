/** `dacapo sessions …`: the table of its actions. */
import * as Effect from "effect/Effect"
import type { Invocation, Run } from "../Command.ts"
import { unknownAction } from "../process/CliError.ts"
import type { Failure } from "../process/ExitCode.ts"
import type { Conclusion } from "../process/Conclusion.ts"
import type { Host } from "../process/Host.ts"
import * as exportImport from "./sessions/exportImport.ts"
import * as change from "./sessions/change.ts"
import * as show from "./sessions/show.ts"
import * as remove from "./sessions/remove.ts"
import { restoreFiles } from "./sessions/restoreFiles.ts"
import { type RecordServices, AgentLayers } from "../process/AgentLayers.ts"

/** The contract of an action; `args` are the arguments after its name. */
export type Action = (invocation: Invocation) => Effect.Effect<number, Failure, Conclusion | Host | RecordServices | AgentLayers>

const actions: Readonly<Record<string, Action>> = {
  archive: change.archive,
  backup: exportImport.backup,
  delete: remove.remove,
  export: exportImport.exportSession,
  favorite: change.favourite,
  favourite: change.favourite,
  fork: change.fork,
  import: exportImport.importSession,
  list: show.list,
  name: change.name,
  prune: remove.prune,
  "restore-files": restoreFiles,
  rm: remove.remove,
  search: show.search,
  show: show.show,
  unfavorite: change.unfavourite,
  unfavourite: change.unfavourite
}

export const run: Run = Effect.fnUntraced(function*(invocation) {
  const [action = "list", ...args] = invocation.args
  const { records } = yield* AgentLayers
  const perform = Object.hasOwn(actions, action) ? actions[action] : undefined
  if (perform === undefined) return yield* unknownAction("sessions", action, Object.keys(actions))
  return yield* Effect.provide(perform({ ...invocation, args }), records)
})
