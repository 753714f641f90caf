/** `dacapo plugin …`: installs, lists, enables, disables, updates and removes plugins, and creates new ones. */
import * as Effect from "effect/Effect"
import type { Run } from "../Command.ts"
import { unknownAction } from "../process/CliError.ts"
import { Host } from "../process/Host.ts"
import * as WorkingFolder from "../start/WorkingFolder.ts"
import type { Action } from "./mcp/Action.ts"

/** Each module is loaded when it is used. */
const actions: Readonly<Record<string, () => Promise<Action>>> = {
  disable: () => import("./plugin/manage.ts").then(({ disable }) => disable),
  enable: () => import("./plugin/manage.ts").then(({ enable }) => enable),
  install: () => import("./plugin/install.ts").then(({ install }) => install),
  list: () => import("./plugin/manage.ts").then(({ list }) => list),
  new: () => import("./plugin/new.ts").then(({ run }) => run),
  remove: () => import("./plugin/manage.ts").then(({ remove }) => remove),
  update: () => import("./plugin/install.ts").then(({ update }) => update)
}

export const run: Run = Effect.fnUntraced(function*(invocation) {
  const [action = "list", ...args] = invocation.args
  const load = Object.hasOwn(actions, action) ? actions[action] : undefined
  if (load === undefined) return yield* unknownAction("plugin", action, Object.keys(actions))
  const { cwd } = yield* Host
  const perform = yield* Effect.promise(load)
  return yield* perform({ ...invocation, args, cwd: yield* WorkingFolder.open(cwd, invocation.values.cd) })
})
