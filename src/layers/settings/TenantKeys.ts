/** The keys of a tenant's sessions: those in its secret store, and no others. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SettingsError } from "../../domain/config/SettingsError.ts"
import { SecretStore } from "../../services/cluster/SecretStore.ts"
import { type ApiKey, Keys, type KeyStore } from "../../services/Keys.ts"

/** `secrets` are those that were used so far, for the redactor. */
export const make = ({ get }: SecretStore["Service"], tenant: string) => {
  const values = new Set<string>()
  const store: KeyStore = {
    find: Effect.fn("TenantKeys.find")(function*(name) {
      const key = yield* get(tenant, name)
      if (key === undefined) return undefined
      values.add(Redacted.value(key))
      return { key, source: `the secret store of ${tenant}` } satisfies ApiKey
    }),
    save: (name) =>
      Effect.fail(
        new SettingsError({ where: name, message: `can't be saved for ${tenant}: its keys come from the cluster's secret store` })
      ),
    remove: () => Effect.succeed(false),
    advice: (names) => `Add ${names.join(" or ")} to the secret store of ${tenant}.`
  }
  return { store, secrets: (): ReadonlyArray<string> => [...values] }
}

/** For a program that composes the agent of a tenant itself: `Live.layer({ keys: TenantKeys.layer("acme"), … })`. */
export const layer = (tenant: string): Layer.Layer<never, never, SecretStore> =>
  Layer.effect(Keys, Effect.map(SecretStore, (service) => make(service, tenant).store))
