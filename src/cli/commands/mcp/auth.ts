/** `dacapo mcp auth <name>`: logs in to a remote server in the browser and saves the tokens; --revoke deletes them. */
import * as Effect from "effect/Effect"
import { Mcp } from "../../../services/Mcp.ts"
import { UsageError } from "../../process/CliError.ts"
import type { Action } from "./Action.ts"
import { Host } from "../../process/Host.ts"
import * as View from "../../render/view/View.ts"
import * as UnattendedAgent from "../../process/UnattendedAgent.ts"

export const run: Action = Effect.fnUntraced(function*({ cwd, values: { revoke }, args: [name, ...extraArgs] }) {
  if (name === undefined || extraArgs.length > 0) return yield* new UsageError({ message: "Name one server: `dacapo mcp auth <name>`." })
  const { stderr, stdout } = yield* Host
  const work = Effect.gen(function*() {
    const mcp = yield* Mcp
    if (revoke === true) {
      const isRemoved = yield* mcp.logout(cwd, name)
      yield* stdout.write(isRemoved ? `Deleted the login for ${View.line(name)}.\n` : `There was no login for ${View.line(name)}.\n`)
      return 0
    }
    const hasLoggedIn = yield* mcp.login(cwd, name, (url) =>
      Effect.ignore(stderr.write(
        `Open this URL to log in to ${View.line(name)}:\n\n  ${View.line(url)}\n\n` +
          "Waiting for the login in your browser. Press Ctrl-C to cancel.\n"
      )))
    yield* stdout.write(hasLoggedIn ? `Logged in to ${View.line(name)}.\n` : `${View.line(name)} does not require a login.\n`)
    return 0
  })
  return yield* Effect.provide(work, yield* UnattendedAgent.unattendedLayer(cwd))
})
