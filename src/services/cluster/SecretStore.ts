/** The keys of the tenants of a cluster, which a runner uses in place of its own. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { SettingsError } from "../../domain/config/SettingsError.ts"

export class SecretStore extends Context.Service<SecretStore, {
  /**
   * A tenant's secret by the name of the environment variable that it replaces, such as ANTHROPIC_API_KEY; undefined if the tenant has
   * none of that name. It is asked for when a session first needs the key. An error never contains a secret.
   */
  readonly get: (tenant: string, name: string) => Effect.Effect<Redacted.Redacted | undefined, SettingsError>
}>()("dacapo/SecretStore") {}
