/** Settings in memory, the same for every folder: changes are there until the layer closes. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as UnknownField from "../../domain/config/UnknownField.ts"
import * as SettingPath from "../../domain/config/SettingPath.ts"
import * as Config from "../../domain/config/Settings.ts"
import { SettingsError } from "../../domain/config/SettingsError.ts"
import { Settings } from "../../services/Settings.ts"

const file = "settings in memory"
const decode = Schema.decodeUnknownEffect(Config.SettingsFile, { onExcessProperty: "error" })

/** A user with these settings. */
export const layer = (initial: Config.SettingsFile = {}): Layer.Layer<Settings> =>
  Layer.sync(Settings, () => {
    let settings = initial
    const scopes = Effect.sync((): ReadonlyArray<Config.Scope> => [{ file, isTrusted: true, settings }])
    return Settings.of({
      load: () => Effect.map(scopes, Config.merge),
      scopes: () => scopes,
      set: (_, path, value) =>
        Effect.suspend(() => decode(SettingPath.set(settings, path, value))).pipe(
          Effect.mapError((error) => new SettingsError({ where: file, message: UnknownField.explain(error.message) })),
          Effect.map((next) => {
            settings = next
            return file
          })
        ),
      allow: (_, rule) =>
        Effect.sync(() => {
          const { allow = [], ...permissions } = settings.permissions ?? {}
          if (!allow.includes(rule)) settings = { ...settings, permissions: { ...permissions, allow: [...allow, rule] } }
        })
    })
  })
