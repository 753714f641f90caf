/** `dacapo serve`: serves sessions to programs and browsers, until it is stopped: its own, or those of a cluster. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as IdsLive from "../../layers/settings/IdsLive.ts"
import type { Values } from "../args/Flags.ts"
import type { Run } from "../Command.ts"
import { AgentLayers } from "../process/AgentLayers.ts"
import { UsageError } from "../process/CliError.ts"
import { Host } from "../process/Host.ts"
import type { Party } from "../serve/ServeControl.ts"
import type { ServedSessions } from "../serve/ServedSessions.ts"
import * as TokenFile from "../start/TokenFile.ts"

export const run: Run = Effect.fnUntraced(function*({ values }) {
  if (
    values.stdio === true &&
    [values.port, values.tokenFile, values.host, values.tlsCert, values.tlsKey].some((value) => value !== undefined)
  ) {
    return yield* new UsageError({ message: "--stdio can't be combined with --port, --token-file, --host, --tls-cert or --tls-key." })
  }
  if (values.tenants !== undefined && (values.cluster !== true || values.stdio === true || values.tokenFile !== undefined)) {
    return yield* new UsageError({
      message: "--tenants needs --cluster, and can't be combined with --stdio or --token-file: the tokens are those in its file."
    })
  }
  return yield* values.cluster === true ? serveCluster(values) : serveOwn(values)
}, Effect.scoped)

const serveOwn = Effect.fnUntraced(function*(values: Values) {
  const LocalSessions = yield* Effect.promise(() => import("../serve/LocalSessions.ts"))
  return yield* serve(values, yield* LocalSessions.make(values))
})

/** The gateway of a cluster. Its page reads the records of the one store that this process has open. */
const serveCluster = Effect.fnUntraced(function*(values: Values) {
  const { cwd } = yield* Host
  const [ClusterStore, ClusterSessions, TenantParties] = yield* Effect.promise(() =>
    Promise.all([import("../cluster/ClusterStore.ts"), import("../serve/ClusterSessions.ts"), import("../serve/TenantParties.ts")])
  )
  const tenants = values.tenants === undefined ? undefined : yield* TenantParties.read(cwd, values.tenants)
  const { records, services } = yield* ClusterStore.open()
  const within = <A, E, R>(effect: Effect.Effect<A, E, R>) => effect.pipe(Effect.provide(services), Effect.provide(IdsLive.layer))
  if (tenants !== undefined) {
    const parties = yield* within(TenantParties.make(tenants, records))
    yield* listen(values, parties)
    yield* print(`The tokens are those of the ${tenants.length === 1 ? "tenant" : `${tenants.length} tenants`} in ${values.tenants}.`)
    return yield* Effect.never
  }
  const agentLayers = yield* AgentLayers
  return yield* Effect.provideService(
    serve(values, yield* within(ClusterSessions.make())),
    AgentLayers,
    AgentLayers.of({ ...agentLayers, records: Layer.succeedContext(records) })
  )
})

/** For everyone who has the token of this run. */
const serve = Effect.fnUntraced(function*(values: Values, sessions: ServedSessions) {
  const { cwd } = yield* Host
  if (values.stdio === true) {
    const ServeStdio = yield* Effect.promise(() => import("../serve/ServeStdio.ts"))
    yield* ServeStdio.serve(sessions)
    return 0
  }
  const Secret = yield* Effect.promise(() => import("../../layers/network/Secret.ts"))
  const token = yield* Effect.provide(Secret.make, IdsLive.layer)
  const { records } = yield* AgentLayers
  const url = yield* listen(values, [{ hasToken: (text) => Secret.isSame(token, text), sessions, records, isTenant: false }])
  if (values.tokenFile === undefined) yield* print(`In a browser: ${url}/#token=${token}`, `Authorization: Bearer ${token}`)
  else {
    yield* TokenFile.write(cwd, values.tokenFile, token)
    yield* print(`The token is in ${values.tokenFile}.`)
  }
  return yield* Effect.never
})

const listen = Effect.fnUntraced(function*(values: Values, parties: ReadonlyArray<Party>) {
  const { cwd } = yield* Host
  const [ServeControl, { resolveAddress }] = yield* Effect.promise(() =>
    Promise.all([import("../serve/ServeControl.ts"), import("../serve/ServeAddress.ts")])
  )
  const address = yield* resolveAddress(values, cwd)
  const url = yield* Effect.provide(ServeControl.serve(parties, values, address), IdsLive.layer)
  yield* print(`dacapo: Serving at ${url}. Press Ctrl-C to stop.`)
  if (address.isExposed) yield* print("dacapo: Without TLS everyone on this network can read the token and what the sessions contain.")
  return url
})

const print = (...lines: ReadonlyArray<string>) =>
  Effect.flatMap(Host, ({ stderr }) => Effect.ignore(stderr.write(lines.map((line) => `${line}\n`).join(""))))
