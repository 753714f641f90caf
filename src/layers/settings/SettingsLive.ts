/**
 * Settings from files: the user's `config.jsonc`, the user's own file for a project (where "always" writes), the
 * project's `.efferent/config.jsonc` and `config.local.jsonc`, and a managed `/etc/efferent/config.jsonc`.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { applyEdits, modify, parse, type ParseError, printParseErrorCode } from "jsonc-parser"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { merge, type Scope, SettingsFile } from "../../domain/config/Settings.ts"
import { SettingsError } from "../../domain/config/SettingsError.ts"
import { Environment } from "../../services/Environment.ts"
import { Settings } from "../../services/Settings.ts"
import { sha256 } from "../storage/Digest.ts"
import { write } from "./WholeFile.ts"

const decode = Schema.decodeUnknownEffect(SettingsFile, { onExcessProperty: "error" })

/** The text of a file; "" where there is none. */
const read = (file: string) =>
  Effect.tryPromise({
    try: () => readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => error.code === "ENOENT" ? "" : Promise.reject(error)),
    catch: (error) => new SettingsError({ where: file, message: `can't be read: ${(error as Error).message}` })
  })

const load = Effect.fnUntraced(function*(file: string, trusted: boolean) {
  const text = yield* read(file)
  if (text.trim() === "") return { file, trusted, settings: {} } satisfies Scope
  const errors: Array<ParseError> = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  if (errors[0] !== undefined) {
    const line = text.slice(0, errors[0].offset).split("\n").length
    return yield* new SettingsError({ where: `${file}:${line}`, message: `is no JSON: ${printParseErrorCode(errors[0].error)}` })
  }
  const settings = yield* decode(value).pipe(
    Effect.mapError((error) => new SettingsError({ where: file, message: error.message.replaceAll("\n", " ") }))
  )
  return { file, trusted, settings } satisfies Scope
})

export const layer = Layer.effect(Settings, Effect.gen(function*() {
  const { folders } = yield* Environment
  const own = (cwd: string) => join(folders.config, "projects", `${sha256(cwd).slice(0, 16)}.jsonc`)
  return Settings.of({
    load: Effect.fn("Settings.load")(function*(cwd) {
      const scopes = yield* Effect.all([
        load(join(folders.config, "config.jsonc"), true),
        load(join(cwd, ".efferent", "config.jsonc"), false),
        load(join(cwd, ".efferent", "config.local.jsonc"), false),
        load(own(cwd), true),
        load("/etc/efferent/config.jsonc", true)
      ])
      return merge(scopes)
    }),
    allow: Effect.fn("Settings.allow")(function*(cwd, rule) {
      const file = own(cwd)
      const text = (yield* read(file)) || `// Rules for ${cwd}\n{}\n`
      const { settings } = yield* load(file, true)
      const rules = [...new Set([...settings.permissions?.allow ?? [], rule])]
      const edits = modify(text, ["permissions", "allow"], rules, { formattingOptions: { insertSpaces: true, tabSize: 2 } })
      yield* write(file, applyEdits(text, edits))
    })
  })
}))
