/** `dacapo mcp …`: servers of the Model Context Protocol, as this program's tools and as a way to offer them to others. */
import * as Effect from "effect/Effect"
import type { Failure } from "../process/ExitCode.ts"
import type { Conclusion } from "../process/Conclusion.ts"
import { UsageError } from "../process/CliError.ts"
import type { Given, Run } from "../Commands.ts"
import * as Folder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"
import type { Wiring } from "../process/AgentLayers.ts"

/** What each action is given: the words after its name, and the folder. */
export interface Asked extends Given {
  readonly cwd: string
}

export type Action = (asked: Asked) => Effect.Effect<number, Failure, Conclusion | Host | Wiring>

/** Each is loaded when it is called. */
const actions: Readonly<Record<string, () => Promise<{ readonly run: Action }>>> = {
  add: () => import("./mcp/add.ts"),
  auth: () => import("./mcp/auth.ts"),
  list: () => import("./mcp/list.ts"),
  new: () => import("./mcp/new.ts"),
  remove: () => import("./mcp/remove.ts"),
  serve: () => import("./mcp/serve.ts"),
  test: () => import("./mcp/test.ts")
}

export const run: Run = Effect.fnUntraced(function*(given) {
  const [action = "list", ...words] = given.words
  const load = Object.hasOwn(actions, action) ? actions[action] : undefined
  if (load === undefined) return yield* new UsageError({ message: `\`dacapo mcp\` knows ${Object.keys(actions).join(", ")}; "${action}" is none of them.` })
  const { cwd } = yield* Host
  const { run } = yield* Effect.promise(load)
  return yield* run({ ...given, words, cwd: yield* Folder.open(cwd, given.values.cd) })
})
