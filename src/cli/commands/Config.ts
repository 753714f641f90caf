/** `dacapo config get|set|list|schema`: settings, and where they stand. */
import * as Effect from "effect/Effect"
import * as Address from "../../domain/config/SettingPath.ts"
import type { Scope } from "../../domain/config/Settings.ts"
import { Settings } from "../../services/Settings.ts"
import type { Given, Run } from "../Commands.ts"
import { InputError, UsageError } from "../process/CliError.ts"
import type { Failure } from "../process/ExitCode.ts"
import * as Folder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"
import * as Json from "../render/json/StreamJson.ts"
import * as Protocol from "../render/json/StreamJsonSchema.ts"
import * as View from "../render/view/View.ts"
import { Wiring } from "../process/AgentLayers.ts"

type Action = (given: Given, cwd: string) => Effect.Effect<number, Failure, Host | Settings>

export const run: Run = Effect.fnUntraced(function*(given) {
  const [action = "list", ...words] = given.words
  const { cwd: here } = yield* Host
  const { records } = yield* Wiring
  const perform = Object.hasOwn(actions, action) ? actions[action] : undefined
  if (perform === undefined) {
    return yield* new UsageError({ message: `\`dacapo config\` knows ${Object.keys(actions).join(", ")}; "${action}" is none of them.` })
  }
  const cwd = yield* Folder.open(here, given.values.cd)
  return yield* Effect.provide(perform({ ...given, words }, cwd), records)
})

const isText = ({ values: { outputFormat = "text" } }: Given): boolean => outputFormat === "text"

const shown = (value: unknown): string => View.text(typeof value === "string" ? value : JSON.stringify(value)).replaceAll("\n", " ")

/** The first name of a path is one that there is. */
const place = Effect.fnUntraced(function*(word: string | undefined) {
  if (word === undefined) return yield* new UsageError({ message: `Name a setting: ${Address.names.join(", ")}; parts are joined by dots.` })
  const path = Address.parse(word)
  if (Address.names.includes(path[0]!)) return path
  return yield* new UsageError({ message: `There is no setting "${path[0]}"; there are ${Address.names.join(", ")}.` })
})

/** What holds: of the scopes that say something, the last that may. */
const get: Action = Effect.fnUntraced(function*(given, cwd) {
  const { stdout } = yield* Host
  const { scopes } = yield* Settings
  const path = yield* place(given.words[0])
  const found = said(yield* scopes(cwd), path).at(-1)
  if (found === undefined) return yield* new InputError({ message: `${path.join(".")} is not set: \`dacapo config list\` shows what is.` })
  yield* stdout.write(isText(given) ? `${shown(found.value)}\n` : Json.line(found))
  return 0
})

/** A repository's own files may only make things stricter: what else they say does not count. */
const said = (scopes: ReadonlyArray<Scope>, path: ReadonlyArray<string>) =>
  scopes.flatMap(({ file, settings, trusted }) => {
    const value = Address.get(settings, path)
    const counts = trusted || (path[0] === "permissions" && path[1] !== "allow" && path[1] !== "defaultMode")
    return value === undefined || !counts ? [] : [{ value, file }]
  })

/** Into the user's own file; without a value, out of it. */
const set: Action = Effect.fnUntraced(function*(given, cwd) {
  const { stdout } = yield* Host
  const settings = yield* Settings
  const [name, ...words] = given.words
  const path = yield* place(name)
  const value = words.length === 0 ? undefined : Address.literal(words.join(" "))
  const file = yield* settings.set(cwd, path, value)
  yield* stdout.write(isText(given)
    ? `${path.join(".")} is ${value === undefined ? "taken out" : shown(value)} in ${View.text(file)}.\n`
    : Json.line({ name: path.join("."), value: value ?? null, file }))
  return 0
})

const list: Action = Effect.fnUntraced(function*(given, cwd) {
  const { stdout } = yield* Host
  const { scopes } = yield* Settings
  const all = yield* scopes(cwd)
  const rows = Address.names.flatMap((name) => said(all, [name]).map(({ file, value }) => ({ name, value, file })))
  yield* stdout.write(!isText(given) ? Json.line(rows)
    : rows.map(({ file, name, value }) => `${name.padEnd(16)} ${shown(value)}\n${" ".repeat(17)}${View.text(file)}\n`).join("") || "Nothing is set.\n")
  return 0
})

const schema: Action = Effect.fnUntraced(function*() {
  const { stdout } = yield* Host
  yield* stdout.write(`${JSON.stringify(Protocol.published().config, null, 2)}\n`)
  return 0
})

const actions: Readonly<Record<string, Action>> = { get, list, schema, set }
