/**
 * The active content of a folder's files: what trust is bound to. Rules in settings that ask or deny only make things
 * stricter and apply without trust, so they are excluded, and so are comments and the order of keys.
 */
import type * as Schema from "effect/Schema"
import { isObject } from "../Json.ts"

/** A folder's settings: the shared ones, and those that are usually not committed. */
export const settingsFiles: ReadonlyArray<string> = [".dacapo/config.jsonc", ".dacapo/config.local.jsonc"]

/** A file whose text is JSON, so that its value counts and not its layout. */
export const isJson = (path: string): boolean => /\.jsonc?$/.test(path)

/** The active content of a file, as one text; undefined if it has none. `path` is relative to the folder. */
export const text = (path: string, content: Schema.Json): string | undefined => {
  if (!settingsFiles.includes(path)) return isJson(path) ? JSON.stringify(sortKeys(content)) : String(content)
  const effectiveSettings = omitRules(content)
  return isObject(effectiveSettings) && Object.keys(effectiveSettings).length === 0 ? undefined
    : JSON.stringify(sortKeys(effectiveSettings))
}

/** The names of the active settings, by their paths. */
export const names = (settings: Schema.Json): ReadonlyArray<string> => {
  const effectiveSettings = omitRules(settings)
  if (!isObject(effectiveSettings)) return ["no JSON"]
  return Object.entries(effectiveSettings).flatMap(([name, value]) =>
    name === "permissions" && isObject(value) ? Object.keys(value).map((inner) => `permissions.${inner}`) : [name]
  )
}

/** The commands of its hooks, as written. */
export const hookCommands = (settings: Schema.Json): ReadonlyArray<string> =>
  isObject(settings) && isObject(settings["hooks"]) ? Object.values(settings["hooks"]).flatMap(commandsIn) : []

const commandsIn = (value: Schema.Json): ReadonlyArray<string> =>
  Array.isArray(value) ? value.flatMap(commandsIn)
    : !isObject(value) ? []
    : [...(typeof value["command"] === "string" ? [value["command"]] : []), ...commandsIn(value["hooks"] ?? [])]

const omitRules = (settings: Schema.Json): Schema.Json => {
  if (!isObject(settings)) return settings
  const { $schema: _, permissions, ...rest } = settings
  if (permissions === undefined) return rest
  if (!isObject(permissions)) return { ...rest, permissions }
  const { ask: _ask, deny: _deny, ...otherPermissions } = permissions
  return Object.keys(otherPermissions).length === 0 ? rest : { ...rest, permissions: otherPermissions }
}

const sortKeys = (value: Schema.Json): Schema.Json =>
  Array.isArray(value) ? value.map(sortKeys)
    : isObject(value) ? Object.fromEntries(Object.keys(value).sort().map((key) => [key, sortKeys(value[key]!)]))
    : value
