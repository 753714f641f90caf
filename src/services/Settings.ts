/** What the user has set, in files that people edit too. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Config from "../domain/config/Settings.ts"
import type { SettingsError } from "../domain/config/SettingsError.ts"

export class Settings extends Context.Service<Settings, {
  /** All scopes for a folder, read now. */
  readonly load: (cwd: string) => Effect.Effect<Config.Settings, SettingsError>
  /** Writes an allow rule for this folder, where only the user writes. */
  readonly allow: (cwd: string, rule: string) => Effect.Effect<void, SettingsError>
}>()("efferent/Settings") {}
