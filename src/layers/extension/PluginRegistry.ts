/**
 * The user's `plugins.jsonc` beside the settings: what was installed from where, with the hash of its content. The
 * content itself is in the data folder, in a folder named by that hash.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { join } from "node:path"
import { Environment } from "../../services/Environment.ts"
import { JsonFiles } from "../../services/JsonFiles.ts"
import { nameProblem } from "../../domain/extension/PluginManifest.ts"
import { isObject } from "../../domain/Json.ts"

/** `code` is the hash of the content whose code the user allowed to run in dacapo's own process. */
export const PluginRecord = Schema.Struct({
  source: Schema.Struct({
    kind: Schema.Literals(["folder", "file", "git", "npm"]),
    location: Schema.String,
    ref: Schema.optionalKey(Schema.String)
  }),
  hash: Schema.String.pipe(Schema.check(Schema.isPattern(/^sha256-[0-9a-f]{64}$/))),
  enabled: Schema.Boolean,
  version: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  module: Schema.optionalKey(Schema.String),
  code: Schema.optionalKey(Schema.String)
})
export type PluginRecord = typeof PluginRecord.Type

const decode = Schema.decodeUnknownOption(PluginRecord)

export const make = Effect.gen(function*() {
  const { folders } = yield* Environment
  const path = join(folders.config, "plugins.jsonc")
  const file = yield* (yield* JsonFiles).at(path, "Installed plugins: `dacapo plugin` changes this file")
  const root = join(folders.data, "plugins")
  return {
    path,
    /** The folder of all plugins, and of one. */
    root,
    folder: (name: string, { hash }: Pick<PluginRecord, "hash">) => join(root, name, hash.slice("sha256-".length, "sha256-".length + 16)),
    /** By name; entries that are invalid are not installed plugins. */
    records: Effect.map(file.value, (value): ReadonlyMap<string, PluginRecord> =>
      new Map(
        entries(value).flatMap(([name, json]) =>
          nameProblem(name) !== undefined ? []
            : Option.match(decode(json), { onNone: () => [], onSome: (record) => [[name, record] as const] })
        )
      )),
    /** Saves a record, or removes it (undefined). */
    put: (name: string, record: PluginRecord | undefined) =>
      file.changeNow(["plugins", name], () => [undefined, record as Schema.Json | undefined])
  }
})

const entries = (value: Schema.Json | undefined): ReadonlyArray<readonly [string, Schema.Json]> => {
  const plugins = isObject(value) ? value["plugins"] : undefined
  return isObject(plugins) ? Object.entries(plugins).sort(([a], [b]) => a < b ? -1 : 1) : []
}
