/** A secret store in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SecretStore } from "../../services/cluster/SecretStore.ts"

/** These secrets, by tenant and name. */
export const layer = (secrets: Readonly<Record<string, Readonly<Record<string, string>>>>): Layer.Layer<SecretStore> =>
  Layer.succeed(SecretStore, {
    get: (tenant, name) =>
      Effect.sync(() => {
        const secret = Object.hasOwn(secrets, tenant) && Object.hasOwn(secrets[tenant]!, name) ? secrets[tenant]![name] : undefined
        return secret === undefined ? undefined : Redacted.make(secret, { label: name })
      })
  })
