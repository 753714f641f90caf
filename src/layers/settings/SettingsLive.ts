/**
 * Settings from files: the user's `config.jsonc`, the user's own file for a project (where "always" writes), the
 * project's `.efferent/config.jsonc` and `config.local.jsonc`, and a managed `/etc/efferent/config.jsonc`.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { join } from "node:path"
import { merge, type Scope, SettingsFile } from "../../domain/config/Settings.ts"
import { SettingsError } from "../../domain/config/SettingsError.ts"
import { Environment } from "../../services/Environment.ts"
import { KeptFiles } from "../../services/KeptFiles.ts"
import { Settings } from "../../services/Settings.ts"
import { Trust } from "../../services/Trust.ts"
import { sha256 } from "../storage/Digest.ts"

const decode = Schema.decodeUnknownEffect(SettingsFile, { onExcessProperty: "error" })

export const layer = Layer.effect(Settings, Effect.gen(function*() {
  const { folders } = yield* Environment
  const files = yield* KeptFiles
  const trust = yield* Trust
  const load = Effect.fnUntraced(function*(file: string, trusted: boolean) {
    const kept = yield* files.at(file)
    const value = yield* kept.value
    const settings = yield* decode(value ?? {}).pipe(
      Effect.mapError((error) => new SettingsError({ where: file, message: error.message.replaceAll("\n", " ") }))
    )
    if (settings.permissions === undefined) return { file, trusted, settings } satisfies Scope
    const lines = yield* Effect.all({ allow: kept.lines(["permissions", "allow"]), ask: kept.lines(["permissions", "ask"]), deny: kept.lines(["permissions", "deny"]) })
    return { file, trusted, settings, lines } satisfies Scope
  })
  const own = (cwd: string) => join(folders.config, "projects", `${sha256(cwd).slice(0, 16)}.jsonc`)
  return Settings.of({
    load: Effect.fn("Settings.load")(function*(cwd) {
      const trusted = yield* trust.holds(cwd)
      const scopes = yield* Effect.all([
        load(join(folders.config, "config.jsonc"), true),
        load(join(cwd, ".efferent", "config.jsonc"), trusted),
        load(join(cwd, ".efferent", "config.local.jsonc"), trusted),
        load(own(cwd), true),
        load("/etc/efferent/config.jsonc", true)
      ])
      return merge(scopes)
    }),
    allow: Effect.fn("Settings.allow")(function*(cwd, rule) {
      const kept = yield* files.at(own(cwd), `Rules for ${cwd}`)
      yield* kept.change(["permissions", "allow"], (rules) => [...new Set([...Array.isArray(rules) ? rules : [], rule])])
    })
  })
}))
