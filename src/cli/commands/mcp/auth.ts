/** `dacapo mcp auth <name>`: logs in to a remote server in the browser, and keeps the tokens like keys; --revoke forgets them. */
import * as Effect from "effect/Effect"
import { Mcp } from "../../../services/Mcp.ts"
import { UsageError } from "../../process/CliError.ts"
import type { Action } from "../Mcp.ts"
import { Host } from "../../process/Host.ts"
import * as View from "../../render/view/View.ts"
import * as Runtime from "../../process/UnattendedAgent.ts"

export const run: Action = Effect.fnUntraced(function*({ cwd, values: { revoke }, words: [name, ...more] }) {
  if (name === undefined || more.length > 0) return yield* new UsageError({ message: "`dacapo mcp auth` takes one server's name." })
  const { stderr, stdout } = yield* Host
  const work = Effect.gen(function*() {
    const mcp = yield* Mcp
    if (revoke === true) {
      const gone = yield* mcp.logout(cwd, name)
      yield* stdout.write(gone ? `The login at ${View.text(name)} is forgotten.\n` : `There was no login at ${View.text(name)}.\n`)
      return 0
    }
    const asked = yield* mcp.login(cwd, name, (url) =>
      Effect.ignore(stderr.write(`Open this address to log in to ${View.text(name)}:\n\n  ${View.text(url)}\n\nWaiting for the browser to come back; Ctrl-C gives up.\n`)))
    yield* stdout.write(asked ? `You are logged in to ${View.text(name)}.\n` : `${View.text(name)} asks for no login.\n`)
    return 0
  })
  return yield* Effect.provide(work, yield* Runtime.unattended(cwd))
})
