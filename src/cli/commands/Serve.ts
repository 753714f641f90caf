/** `dacapo serve`: serves sessions to programs over HTTP on this machine, until it is stopped. */
import * as Effect from "effect/Effect"
import * as IdsLive from "../../layers/settings/IdsLive.ts"
import type { Run } from "../Command.ts"
import { UsageError } from "../process/CliError.ts"
import { Host } from "../process/Host.ts"
import * as TokenFile from "../start/TokenFile.ts"

export const run: Run = Effect.fnUntraced(function*({ values }) {
  const { cwd, stderr } = yield* Host
  if (values.stdio === true) {
    if (values.port !== undefined || values.tokenFile !== undefined) {
      return yield* new UsageError({ message: "--stdio can't be combined with --port or --token-file." })
    }
    yield* (yield* Effect.promise(() => import("../serve/ServeStdio.ts"))).serve(values)
    return 0
  }
  const { serve } = yield* Effect.promise(() => import("../serve/ServeControl.ts"))
  const { token, url } = yield* Effect.provide(serve(values, values.port ?? 0), IdsLive.layer)
  const print = (...lines: ReadonlyArray<string>) => Effect.ignore(stderr.write(lines.map((line) => `${line}\n`).join("")))
  yield* print(`dacapo: Serving at ${url}. Press Ctrl-C to stop.`)
  if (values.tokenFile === undefined) yield* print(`In a browser: ${url}/#token=${token}`, `Authorization: Bearer ${token}`)
  else {
    yield* TokenFile.write(cwd, values.tokenFile, token)
    yield* print(`The token is in ${values.tokenFile}.`)
  }
  return yield* Effect.never
}, Effect.scoped)
