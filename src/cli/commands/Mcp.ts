/** `dacapo mcp …`: servers of the Model Context Protocol, as this program's tools and as a way to offer them to others. */
import * as Effect from "effect/Effect"
import type { Failure } from "../ExitCode.ts"
import type { Conclusion } from "../Conclusion.ts"
import { UsageError } from "../CliError.ts"
import type { Given, Run } from "../Commands.ts"
import * as Folder from "../Folder.ts"
import { Host } from "../Host.ts"
import type { Wiring } from "../Wiring.ts"

/** What each action is given: the words after its name, and the folder. */
export interface Asked extends Given {
  readonly cwd: string
}

export type Action = (asked: Asked) => Effect.Effect<number, Failure, Conclusion | Host | Wiring>

/** Each is loaded when it is called. */
const actions: Readonly<Record<string, () => Promise<{ readonly run: Action }>>> = {
  add: () => import("../mcp/Add.ts"),
  auth: () => import("../mcp/Auth.ts"),
  list: () => import("../mcp/List.ts"),
  new: () => import("../mcp/New.ts"),
  remove: () => import("../mcp/Remove.ts"),
  serve: () => import("../mcp/Serve.ts"),
  test: () => import("../mcp/Test.ts")
}

export const run: Run = Effect.fnUntraced(function*(given) {
  const [action = "list", ...words] = given.words
  const load = Object.hasOwn(actions, action) ? actions[action] : undefined
  if (load === undefined) return yield* new UsageError({ message: `\`dacapo mcp\` knows ${Object.keys(actions).join(", ")}; "${action}" is none of them.` })
  const { cwd } = yield* Host
  const { run } = yield* Effect.promise(load)
  return yield* run({ ...given, words, cwd: yield* Folder.open(cwd, given.values.cd) })
})
