/** `dacapo serve`: serves sessions to programs and browsers, until it is stopped: its own, or those of a cluster. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as IdsLive from "../../layers/settings/IdsLive.ts"
import type { Values } from "../args/Flags.ts"
import type { Run } from "../Command.ts"
import { AgentLayers } from "../process/AgentLayers.ts"
import { UsageError } from "../process/CliError.ts"
import { Host } from "../process/Host.ts"
import type { ServedSessions } from "../serve/ServedSessions.ts"
import * as TokenFile from "../start/TokenFile.ts"

export const run: Run = Effect.fnUntraced(function*({ values }) {
  if (
    values.stdio === true &&
    [values.port, values.tokenFile, values.host, values.tlsCert, values.tlsKey].some((value) => value !== undefined)
  ) {
    return yield* new UsageError({ message: "--stdio can't be combined with --port, --token-file, --host, --tls-cert or --tls-key." })
  }
  return yield* values.cluster === true ? serveCluster(values) : serveOwn(values)
}, Effect.scoped)

const serveOwn = Effect.fnUntraced(function*(values: Values) {
  const LocalSessions = yield* Effect.promise(() => import("../serve/LocalSessions.ts"))
  return yield* serve(values, yield* LocalSessions.make(values))
})

/** The gateway of a cluster. Its page reads the records of the one store that this process has open. */
const serveCluster = Effect.fnUntraced(function*(values: Values) {
  const [ClusterStore, ClusterSessions] = yield* Effect.promise(() =>
    Promise.all([import("../cluster/ClusterStore.ts"), import("../serve/ClusterSessions.ts")])
  )
  const { records, services } = yield* ClusterStore.open()
  const sessions = yield* ClusterSessions.make.pipe(Effect.provide(services), Effect.provide(IdsLive.layer))
  const agentLayers = yield* AgentLayers
  return yield* Effect.provideService(
    serve(values, sessions),
    AgentLayers,
    AgentLayers.of({ ...agentLayers, records: Layer.succeedContext(records) })
  )
})

const serve = Effect.fnUntraced(function*(values: Values, sessions: ServedSessions) {
  const { cwd, stderr } = yield* Host
  if (values.stdio === true) {
    const ServeStdio = yield* Effect.promise(() => import("../serve/ServeStdio.ts"))
    yield* ServeStdio.serve(sessions)
    return 0
  }
  const [ServeControl, { resolveAddress }] = yield* Effect.promise(() =>
    Promise.all([import("../serve/ServeControl.ts"), import("../serve/ServeAddress.ts")])
  )
  const address = yield* resolveAddress(values, cwd)
  const { token, url } = yield* Effect.provide(ServeControl.serve(sessions, values.port ?? 0, address), IdsLive.layer)
  const print = (...lines: ReadonlyArray<string>) => Effect.ignore(stderr.write(lines.map((line) => `${line}\n`).join("")))
  yield* print(`dacapo: Serving at ${url}. Press Ctrl-C to stop.`)
  if (address.isExposed) yield* print("dacapo: Without TLS everyone on this network can read the token and what the sessions contain.")
  if (values.tokenFile === undefined) yield* print(`In a browser: ${url}/#token=${token}`, `Authorization: Bearer ${token}`)
  else {
    yield* TokenFile.write(cwd, values.tokenFile, token)
    yield* print(`The token is in ${values.tokenFile}.`)
  }
  return yield* Effect.never
})
