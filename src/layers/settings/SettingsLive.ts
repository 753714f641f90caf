/**
 * Settings from files: the user's `config.jsonc`, the user's own file for a project (where "always" rules are added),
 * the project's `.dacapo/config.jsonc` and `config.local.jsonc`, and a managed `/etc/dacapo/config.jsonc`.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { join } from "node:path"
import * as ProjectFiles from "../../domain/config/ProjectFiles.ts"
import * as TrustedContent from "../../domain/config/TrustedContent.ts"
import * as UnknownField from "../../domain/config/UnknownField.ts"
import * as SettingPath from "../../domain/config/SettingPath.ts"
import { merge, type Scope, SettingsFile } from "../../domain/config/Settings.ts"
import * as Rule from "../../domain/approval/Rule.ts"
import * as Root from "../../domain/workspace/Root.ts"
import { SettingsError } from "../../domain/config/SettingsError.ts"
import { Environment } from "../../services/Environment.ts"
import { type JsonFile, JsonFiles } from "../../services/JsonFiles.ts"
import { Overrides, Settings } from "../../services/Settings.ts"
import { Plugins } from "../../services/extension/Plugins.ts"
import { Trust } from "../../services/Trust.ts"
import { isObject } from "../../domain/tool/ParamSchema.ts"
import { sha256 } from "../storage/Digest.ts"
import * as JsonText from "./JsonText.ts"

const decodeJson = Schema.decodeUnknownEffect(Schema.Json)
const decode = Schema.decodeUnknownEffect(SettingsFile, { onExcessProperty: "error" })

/** The JSON Schema of settings as the package publishes it, for editors: that of this version, with its own settings. */
const schemaUrl = (version: string): string => `https://unpkg.com/dacapo@${version}/dist/schemas/config.json`

export const layer = Layer.effect(
  Settings,
  Effect.gen(function*() {
    const { folders, version } = yield* Environment
    const files = yield* JsonFiles
    const trust = yield* Trust
    const overrides = yield* Overrides
    const plugins = yield* Plugins
    const pluginScopes = Effect.map(
      plugins.active,
      ({ plugins }) =>
        plugins.flatMap(({ hooks, name }) =>
          hooks.map(({ file, settings }): Scope => ({ file, isTrusted: true, plugin: name, settings: { hooks: settings } }))
        )
    )
    const overrideScope = Effect.suspend(() =>
      decode(overrides.reduce<unknown>((value, { path, value: to }) => SettingPath.set(value, path, to), {}))
    ).pipe(
      Effect.mapBoth({
        onFailure: (error) => new SettingsError({ where: "--config", message: UnknownField.explain(error.message) }),
        onSuccess: (settings): Scope => ({ file: "--config", isTrusted: true, settings })
      })
    )
    /** The scopes last read, with the value that each was read from. */
    const cache = new Map<string, { readonly value: Schema.Json | undefined; readonly scope: Scope }>()
    const load = Effect.fnUntraced(function*(file: string, isActive: (value: Schema.Json) => boolean = () => true) {
      const jsonFile = yield* files.at(file)
      const value = yield* jsonFile.value
      const trusted = isActive(value ?? {})
      const last = cache.get(file)
      if (last !== undefined && last.value === value) return { ...last.scope, isTrusted: trusted }
      const scope = yield* read(file, jsonFile, value, trusted)
      cache.set(file, { value, scope })
      return scope
    })
    const read = Effect.fnUntraced(
      function*(
        file: string,
        jsonFile: JsonFile,
        value: Schema.Json | undefined,
        trusted: boolean
      ): Effect.fn.Return<Scope, SettingsError> {
        if (value === undefined) return { file, isTrusted: trusted, settings: {} } satisfies Scope
        const settings = yield* decode(value).pipe(
          Effect.mapError((error) => new SettingsError({ where: file, message: UnknownField.explain(error.message) }))
        )
        if (settings.permissions === undefined) return { file, isTrusted: trusted, settings } satisfies Scope
        const lines = yield* Effect.all({
          allow: jsonFile.lines(["permissions", "allow"]),
          ask: jsonFile.lines(["permissions", "ask"]),
          deny: jsonFile.lines(["permissions", "deny"])
        })
        return { file, isTrusted: trusted, settings, lines } satisfies Scope
      }
    )
    /** The servers of a file that holds nothing else; one that can't be read is reported where servers are started. */
    const serversOf = (cwd: string, path: string, isActive: (value: Schema.Json) => boolean) =>
      files.at(join(cwd, path)).pipe(
        Effect.flatMap(({ value }) => value),
        Effect.orElseSucceed(() => undefined),
        Effect.map((value = {}): Scope => {
          const servers = JsonText.at(value, ["mcpServers"])
          return {
            file: join(cwd, path),
            isTrusted: isActive(value),
            isProject: true,
            settings: {},
            servers: isObject(servers) ? servers : {}
          }
        })
      )
    const projectFile = (cwd: string) => join(folders.config, "projects", `${sha256(Root.origin(cwd)).slice(0, 16)}.jsonc`)
    const userFile = join(folders.config, "config.jsonc")
    const scopes = Effect.fn("Settings.scopes")(function*(cwd: string) {
      const isActive = yield* trust.activePredicate(cwd)
      const [user, ...nearer] = yield* Effect.all([
        load(userFile),
        ...TrustedContent.settingsFiles.map((path) =>
          Effect.map(load(join(cwd, path), (value) => isActive(path, value)), (scope) => ({ ...scope, isProject: true }))
        ),
        ...ProjectFiles.paths("servers").map((path) => serversOf(cwd, path, (value) => isActive(path, value))),
        load(projectFile(cwd)),
        ...(overrides.length === 0 ? [] : [overrideScope]),
        load("/etc/dacapo/config.jsonc")
      ])
      return [user, ...yield* pluginScopes, ...nearer]
    })
    const settingsError = (error: { readonly message: string }) =>
      new SettingsError({ where: userFile, message: UnknownField.explain(error.message) })
    return Settings.of({
      load: Effect.fn("Settings.load")((cwd: string) => Effect.map(scopes(cwd), merge)),
      scopes,
      set: Effect.fn("Settings.set")(function*(_, path, value) {
        const jsonFile = yield* files.at(userFile, "Settings of dacapo")
        const next = SettingPath.set((yield* jsonFile.value) ?? {}, path, value)
        const { permissions = {} } = yield* Effect.mapError(decode(next), settingsError)
        const [name, ...rest] = path
        // With an invalid rule, no session would start.
        for (const list of name === "permissions" ? ["allow", "ask", "deny"] as const : []) {
          if (rest.length === 0 || rest[0] === list)
            yield* Effect.mapError(Effect.fromResult(Rule.compile({ [list]: permissions[list] ?? [] })), settingsError)
        }
        const json = value === undefined ? undefined : yield* Effect.mapError(decodeJson(value), settingsError)
        if (json !== undefined) yield* jsonFile.changeNow(["$schema"], (current) => [undefined, current ?? schemaUrl(version)])
        yield* jsonFile.changeNow([name ?? ""], (current) => [undefined, SettingPath.set(current, rest, json) as Schema.Json | undefined])
        return userFile
      }),
      allow: Effect.fn("Settings.allow")(function*(cwd, rule) {
        const jsonFile = yield* files.at(projectFile(cwd), `Rules for ${cwd}`)
        yield* jsonFile.change(["permissions", "allow"], (rules) => [...new Set([...Array.isArray(rules) ? rules : [], rule])])
      })
    })
  })
)
