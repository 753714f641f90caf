/**
 * Settings from files: the user's `config.jsonc`, the user's own file for a project (where "always" writes), the
 * project's `.dacapo/config.jsonc` and `config.local.jsonc`, and a managed `/etc/dacapo/config.jsonc`.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { join } from "node:path"
import * as Address from "../../domain/config/SettingPath.ts"
import { merge, type Scope, SettingsFile } from "../../domain/config/Settings.ts"
import * as Root from "../../domain/workspace/Root.ts"
import { SettingsError } from "../../domain/config/SettingsError.ts"
import { Environment } from "../../services/Environment.ts"
import { type KeptFile, KeptFiles } from "../../services/JsonFiles.ts"
import { Overrides, Settings } from "../../services/Settings.ts"
import { Trust } from "../../services/Trust.ts"
import { sha256 } from "../storage/Digest.ts"

const decodeJson = Schema.decodeUnknownEffect(Schema.Json)
const decode = Schema.decodeUnknownEffect(SettingsFile, { onExcessProperty: "error" })

export const layer = Layer.effect(Settings, Effect.gen(function*() {
  const { folders } = yield* Environment
  const files = yield* KeptFiles
  const trust = yield* Trust
  const overrides = yield* Overrides
  const said = Effect.suspend(() => decode(overrides.reduce<unknown>((value, { path, value: to }) => Address.set(value, path, to), {}))).pipe(
    Effect.mapBoth({
      onFailure: (error) => new SettingsError({ where: "--config", message: error.message.replaceAll("\n", " ") }),
      onSuccess: (settings): Scope => ({ file: "--config", trusted: true, settings })
    })
  )
  /** Scopes as they were last read, with the value that each was read from. */
  const known = new Map<string, { readonly value: Schema.Json | undefined; readonly scope: Scope }>()
  const load = Effect.fnUntraced(function*(file: string, trusted: boolean) {
    const kept = yield* files.at(file)
    const value = yield* kept.value
    const last = known.get(file)
    if (last !== undefined && last.value === value) return { ...last.scope, trusted }
    const scope = yield* read(file, kept, value, trusted)
    known.set(file, { value, scope })
    return scope
  })
  const read = Effect.fnUntraced(function*(file: string, kept: KeptFile, value: Schema.Json | undefined, trusted: boolean): Effect.fn.Return<Scope, SettingsError> {
    if (value === undefined) return { file, trusted, settings: {} } satisfies Scope
    const settings = yield* decode(value).pipe(
      Effect.mapError((error) => new SettingsError({ where: file, message: error.message.replaceAll("\n", " ") }))
    )
    if (settings.permissions === undefined) return { file, trusted, settings } satisfies Scope
    const lines = yield* Effect.all({ allow: kept.lines(["permissions", "allow"]), ask: kept.lines(["permissions", "ask"]), deny: kept.lines(["permissions", "deny"]) })
    return { file, trusted, settings, lines } satisfies Scope
  })
  const own = (cwd: string) => join(folders.config, "projects", `${sha256(Root.origin(cwd)).slice(0, 16)}.jsonc`)
  const users = join(folders.config, "config.jsonc")
  const scopes = Effect.fn("Settings.scopes")(function*(cwd: string) {
    const trusted = yield* trust.holds(cwd)
    return yield* Effect.all([
      load(users, true),
      load(join(cwd, ".dacapo", "config.jsonc"), trusted),
      load(join(cwd, ".dacapo", "config.local.jsonc"), trusted),
      load(own(cwd), true),
      ...(overrides.length === 0 ? [] : [said]),
      load("/etc/dacapo/config.jsonc", true)
    ])
  })
  const wrong = (error: { readonly message: string }) => new SettingsError({ where: users, message: error.message.replaceAll("\n", " ") })
  return Settings.of({
    load: (cwd) => Effect.map(scopes(cwd), merge),
    scopes,
    set: Effect.fn("Settings.set")(function*(_, path, value) {
      const kept = yield* files.at(users, "Settings of dacapo")
      const next = Address.set((yield* kept.value) ?? {}, path, value)
      yield* Effect.mapError(decode(next), wrong)
      const [name, ...rest] = path
      const json = value === undefined ? undefined : yield* Effect.mapError(decodeJson(value), wrong)
      yield* kept.changeNow([name ?? ""], (before) => [undefined, Address.set(before, rest, json) as Schema.Json | undefined])
      return users
    }),
    allow: Effect.fn("Settings.allow")(function*(cwd, rule) {
      const kept = yield* files.at(own(cwd), `Rules for ${cwd}`)
      yield* kept.change(["permissions", "allow"], (rules) => [...new Set([...Array.isArray(rules) ? rules : [], rule])])
    })
  })
}))
