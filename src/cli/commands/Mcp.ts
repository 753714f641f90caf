/** `dacapo mcp …`: manages the MCP servers whose tools the agent uses, and serves dacapo's own tools over MCP. */
import * as Effect from "effect/Effect"
import { unknownAction } from "../process/CliError.ts"
import type { Run } from "../Command.ts"
import type { Action } from "./mcp/Action.ts"
import * as WorkingFolder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"

/** Each module is loaded when it is used. */
const actions: Readonly<Record<string, () => Promise<{ readonly run: Action }>>> = {
  add: () => import("./mcp/add.ts"),
  allow: () => import("./mcp/allow.ts"),
  auth: () => import("./mcp/auth.ts"),
  list: () => import("./mcp/list.ts"),
  new: () => import("./mcp/new.ts"),
  remove: () => import("./mcp/remove.ts"),
  search: () => import("./mcp/search.ts"),
  serve: () => import("./mcp/serve.ts"),
  test: () => import("./mcp/test.ts")
}

export const run: Run = Effect.fnUntraced(function*(invocation) {
  const [action = "list", ...args] = invocation.args
  const load = Object.hasOwn(actions, action) ? actions[action] : undefined
  if (load === undefined) return yield* unknownAction("mcp", action, Object.keys(actions))
  const { cwd } = yield* Host
  const { run } = yield* Effect.promise(load)
  return yield* run({ ...invocation, args, cwd: yield* WorkingFolder.open(cwd, invocation.values.cd) })
})
