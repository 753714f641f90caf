/** What a runner gives the session of a tenant: its keys and no others, its part of the store, and nothing of other sessions. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SettingsError } from "../../domain/config/SettingsError.ts"
import * as CommandEnvironment from "../../domain/tool/CommandEnvironment.ts"
import * as RedactorLive from "../../layers/settings/RedactorLive.ts"
import * as TenantKeys from "../../layers/settings/TenantKeys.ts"
import { SecretStore } from "../../services/cluster/SecretStore.ts"
import { Tenants } from "../../services/cluster/Tenants.ts"
import { Environment } from "../../services/Environment.ts"
import { Keys } from "../../services/Keys.ts"
import type { Storage } from "../../services/Storage.ts"
import type { TenantOptions } from "../process/HostedSession.ts"

interface TenantSession {
  readonly storage: Storage["Service"]
  readonly options: TenantOptions
}

/** `hidden` are folders that no session may read. The result is undefined for the session of no tenant. */
export const make = Effect.fnUntraced(function*(hidden: ReadonlyArray<string>) {
  const environment = yield* Environment
  const tenants = yield* Tenants
  const secrets = yield* Effect.serviceOption(SecretStore)
  const { config, data, state } = environment.folders

  return Effect.fnUntraced(function*(session: string) {
    const tenant = yield* tenants?.tenantOf(session) ?? Effect.undefined
    if (tenants === undefined || tenant === undefined) return undefined
    if (secrets._tag === "None") {
      return yield* new SettingsError({
        where: "--secrets",
        message:
          `the session ${session} belongs to the tenant ${tenant}, and this runner has no secret store. Start it with --secrets <folder>.`
      })
    }
    const keys = TenantKeys.make(secrets.value, tenant)
    const spending = tenants.spending(tenant)
    const options: TenantOptions = {
      environment: { ...environment, variables: CommandEnvironment.withoutSecrets(environment.variables) },
      keys: Layer.succeed(Keys, keys.store),
      redactor: Layer.provide(RedactorLive.layerWith(keys.secrets), Layer.succeed(Environment, environment)),
      hidden: [...hidden, config, data, state],
      spending,
      usdPerDay: yield* spending.limit
    }
    return { storage: tenants.storage(tenant), options } satisfies TenantSession as TenantSession
  })
})
