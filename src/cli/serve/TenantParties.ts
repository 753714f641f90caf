/** The tenants of a gateway: each is served its own part of the store, and what it does counts against its limits. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import { SettingsError } from "../../domain/config/SettingsError.ts"
import * as TenantsFile from "../../domain/config/Tenants.ts"
import { LimitReached } from "../../domain/control/RequestFailed.ts"
import * as Secret from "../../layers/network/Secret.ts"
import * as JsonText from "../../layers/settings/JsonText.ts"
import * as EventLogLive from "../../layers/storage/EventLogLive.ts"
import { type TenantStore, Tenants } from "../../services/cluster/Tenants.ts"
import { Storage } from "../../services/Storage.ts"
import type { RecordServices } from "../process/AgentLayers.ts"
import { InputError } from "../process/CliError.ts"
import { requestFailed } from "../process/RequestFailure.ts"
import * as ClusterSessions from "./ClusterSessions.ts"
import type { Party } from "./ServeControl.ts"

/** The tenants in a file. */
export const read = Effect.fnUntraced(function*(cwd: string, name: string) {
  const file = resolve(cwd, name)
  const text = yield* Effect.tryPromise({
    try: () => readFile(file, "utf8"),
    catch: (error) => new InputError({ message: `Can't read the tenants in ${file}: ${(error as NodeJS.ErrnoException).code}.` })
  })
  const json = JsonText.parse(text)
  if (Result.isFailure(json)) return yield* new SettingsError({ where: `${file}:${json.failure.line}`, message: json.failure.why })
  const tenants = TenantsFile.parse(json.success)
  return Result.isFailure(tenants) ? yield* new SettingsError({ where: file, message: tenants.failure }) : tenants.success
})

/** `records` and `services` are those of the whole cluster. */
export const make = Effect.fnUntraced(
  function*(tenants: ReadonlyArray<TenantsFile.Tenant>, records: Context.Context<RecordServices>) {
    const store = (yield* Tenants)!
    yield* store.define(tenants)
    return yield* Effect.forEach(tenants, ({ name, tokenHashes }) =>
      Effect.gen(function*() {
        const storage = store.storage(name)
        const sessions = yield* Effect.provideService(ClusterSessions.make(limits(store, name)), Storage, storage)
        const eventLog = yield* Layer.build(Layer.provide(EventLogLive.layer, Layer.succeed(Storage, storage)))
        return {
          hasToken: (text) => tokenHashes.some((hash) => Secret.hasHash(hash, text)),
          sessions,
          records: Layer.succeedContext(Context.merge(Context.add(records, Storage, storage), eventLog)),
          isTenant: true
        } satisfies Party as Party
      }))
  }
)

/** s after which a tenant may ask again whether one of its sessions has finished. */
const workRetry = 5

const limits = (store: TenantStore, tenant: string): ClusterSessions.Limits => ({
  claim: (session) => Effect.mapError(store.claim(tenant, session), requestFailed),
  count: Effect.gen(function*() {
    const waitMs = yield* Effect.mapError(store.countMessage(tenant), requestFailed)
    if (waitMs === 0) return
    const retryAfter = Math.ceil(waitMs / 1000)
    return yield* new LimitReached({
      message: `${tenant} has sent as many messages in the last minute as its limit allows. Try again in ${retryAfter} s.`,
      retryAfter
    })
  }),
  admit: Effect.fnUntraced(function*(session, message, work) {
    if (!(yield* Effect.mapError(store.admit(tenant, session, message), requestFailed))) {
      return yield* new LimitReached({
        message: `As many sessions of ${tenant} work as its limit allows. Wait until one of them has finished, or interrupt one.`,
        retryAfter: workRetry
      })
    }
    return yield* Effect.tap(work, () => Effect.ignore(store.admitted(session, message)))
  })
})
