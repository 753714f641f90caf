/** What the user has set, in files that people edit too. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Config from "../domain/config/Settings.ts"
import type { SettingsError } from "../domain/config/SettingsError.ts"

/** What a call says for itself alone (`--config name=value`): the place of a setting and its value. It stands above the user's files. */
export interface Override {
  readonly path: ReadonlyArray<string>
  readonly value: unknown
}

export const Overrides = Context.Reference<ReadonlyArray<Override>>("dacapo/Settings/Overrides", { defaultValue: () => [] })

export class Settings extends Context.Service<Settings, {
  /** All scopes for a folder, read now. */
  readonly load: (cwd: string) => Effect.Effect<Config.Settings, SettingsError>
  /** What each file says, those that win last. */
  readonly scopes: (cwd: string) => Effect.Effect<ReadonlyArray<Config.Scope>, SettingsError>
  /** Sets one value in the user's own file, or takes it out (undefined), where all of it is right then; gives the file. On disk when it returns. */
  readonly set: (cwd: string, path: ReadonlyArray<string>, value: unknown) => Effect.Effect<string, SettingsError>
  /** Writes an allow rule for this folder, where only the user writes. */
  readonly allow: (cwd: string, rule: string) => Effect.Effect<void, SettingsError>
}>()("dacapo/Settings") {}
