/** `dacapo serve`: serves sessions to programs and browsers over HTTP, until it is stopped. */
import * as Effect from "effect/Effect"
import * as IdsLive from "../../layers/settings/IdsLive.ts"
import type { Run } from "../Command.ts"
import { UsageError } from "../process/CliError.ts"
import { Host } from "../process/Host.ts"
import * as TokenFile from "../start/TokenFile.ts"

export const run: Run = Effect.fnUntraced(function*({ values }) {
  const { cwd, stderr } = yield* Host
  if (values.stdio === true) {
    if ([values.port, values.tokenFile, values.host, values.tlsCert, values.tlsKey].some((value) => value !== undefined)) {
      return yield* new UsageError({ message: "--stdio can't be combined with --port, --token-file, --host, --tls-cert or --tls-key." })
    }
    yield* (yield* Effect.promise(() => import("../serve/ServeStdio.ts"))).serve(values)
    return 0
  }
  const [{ serve }, { resolveAddress }] = yield* Effect.promise(() =>
    Promise.all([import("../serve/ServeControl.ts"), import("../serve/ServeAddress.ts")])
  )
  const address = yield* resolveAddress(values, cwd)
  const { token, url } = yield* Effect.provide(serve(values, values.port ?? 0, address), IdsLive.layer)
  const print = (...lines: ReadonlyArray<string>) => Effect.ignore(stderr.write(lines.map((line) => `${line}\n`).join("")))
  yield* print(`dacapo: Serving at ${url}. Press Ctrl-C to stop.`)
  if (address.isExposed) yield* print("dacapo: Without TLS everyone on this network can read the token and what the sessions contain.")
  if (values.tokenFile === undefined) yield* print(`In a browser: ${url}/#token=${token}`, `Authorization: Bearer ${token}`)
  else {
    yield* TokenFile.write(cwd, values.tokenFile, token)
    yield* print(`The token is in ${values.tokenFile}.`)
  }
  return yield* Effect.never
}, Effect.scoped)
