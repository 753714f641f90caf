/** Plans an import from the files of another agent, and carries it out: nothing that exists is changed or overwritten. */
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import type * as Schema from "effect/Schema"
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import * as TrustedContent from "../../../domain/config/TrustedContent.ts"
import { SettingsError } from "../../../domain/config/SettingsError.ts"
import * as Root from "../../../domain/workspace/Root.ts"
import { Environment } from "../../../services/Environment.ts"
import { JsonFiles } from "../../../services/JsonFiles.ts"
import { Keys } from "../../../services/Keys.ts"
import { SmallFiles } from "../../context/sources/SmallFile.ts"
import * as JsonText from "../JsonText.ts"
import { type ForeignAgent, type ImportItem, type Places, skipped, type Source } from "./ImportItem.ts"

/** The maximum number of files in a folder. */
const maxFiles = 200

/** What becomes of an item. `to` is the file that it is written to, or where a key is saved. */
export interface Row {
  readonly agent: string
  readonly title: string
  readonly from: string
  readonly state: "exists" | "imported" | "inPlace" | "skipped"
  readonly to?: string
  readonly why?: string
}

interface Step {
  readonly agent: string
  readonly item: ImportItem
  readonly source: Source
  readonly from: string
}

/** Every item of an agent's files, in the order of its sources. */
const readSteps = Effect.fnUntraced(function*(agent: ForeignAgent, places: Places) {
  const files = yield* SmallFiles
  const root = yield* files.realPath(places.cwd)
  const steps: Array<Step> = []
  for (const source of agent.sources(places)) {
    const { ending, path } = source
    const names = ending === undefined ? [path.slice(path.lastIndexOf("/") + 1)]
      : [...yield* files.names(path)].filter((name) => name.endsWith(ending)).sort().slice(0, maxFiles)
    for (const name of names) {
      const from = ending === undefined ? path : `${path}/${name}`
      const file = yield* files.read(from)
      const add = (items: ReadonlyArray<ImportItem>) => steps.push(...items.map((item) => ({ agent: agent.name, item, source, from })))
      if (file._tag === "TooLarge") add([skipped(name, `it has ${file.bytes} bytes`)])
      if (file._tag !== "Text") continue
      const isOutside = source.scope === "project" && !Root.contains(root, file.real)
      add(isOutside ? [skipped(name, "it is a link that leads out of the project")] : source.convert(file.text, name))
    }
  }
  return steps
})

/**
 * Imports from agents, in their order, or with `isDryRun` only reports what would be imported. What a project contains stays in the
 * project.
 */
export const importFrom = Effect.fn("ImportFiles.importFrom")(function*(agents: Iterable<ForeignAgent>, cwd: string, isDryRun: boolean) {
  const { folders, variables } = yield* Environment
  const jsonFiles = yield* JsonFiles
  const rows: Array<Row> = []
  const planned = new Map<string, Schema.Json | undefined>()
  const plannedKeys = new Set<string>()
  const fileAt = Effect.fnUntraced(function*(file: string) {
    if (!planned.has(file)) planned.set(file, yield* Effect.flatMap(jsonFiles.at(file), ({ value }) => value))
    return planned.get(file)
  })
  const steps = yield* Effect.forEach(agents, (agent) => readSteps(agent, { home: folders.home, cwd, variables }))
  for (const { agent, from, item, source: { scope } } of steps.flat()) {
    const row = { agent, title: item.title, from }
    if (item._tag === "skipped" || item._tag === "inPlace") {
      rows.push({ ...row, state: item._tag, ...(item._tag === "skipped" ? { why: item.why } : {}) })
      continue
    }
    if (item._tag === "key") {
      rows.push(plannedKeys.has(item.variable) ? { ...row, state: "exists", to: savedKeys } : yield* importKey(row, item, scope, isDryRun))
      if (scope === "user") plannedKeys.add(item.variable)
      continue
    }
    const folder = scope === "user" ? folders.config : join(cwd, ".dacapo")
    if (item._tag === "file") {
      const to = join(folder, item.path)
      const isNew = !planned.has(to) && (isDryRun ? yield* isMissing(to) : yield* create(to, item.text))
      planned.set(to, item.text)
      rows.push({ ...row, state: isNew ? "imported" : "exists", to })
      continue
    }
    const to = scope === "user" ? join(folder, "config.jsonc") : join(cwd, TrustedContent.settingsFiles[0]!)
    const next = change(JsonText.at(yield* fileAt(to), item.path), item)
    rows.push({ ...row, state: next === undefined ? "exists" : "imported", to })
    if (next === undefined) continue
    planned.set(to, setAt(planned.get(to) ?? {}, item.path, next))
    if (isDryRun) continue
    const json = yield* jsonFiles.at(to, "Settings of dacapo")
    yield* json.changeNow(item.path, (current) => [undefined, change(current, item) ?? current])
  }
  return rows
})

/** Where a dry run would save a key. */
const savedKeys = "the saved keys"

/** A key that a project contains is not the user's to send elsewhere. */
const importKey = Effect.fnUntraced(
  function*(
    row: Pick<Row, "agent" | "from" | "title">,
    { key, variable }: Extract<ImportItem, { readonly _tag: "key" }>,
    scope: Source["scope"],
    isDryRun: boolean
  ) {
    const keys = yield* Keys
    if (scope === "project") return { ...row, state: "skipped", why: "keys of a project are not saved" } satisfies Row
    const saved = yield* keys.find(variable)
    if (saved !== undefined) return { ...row, state: "exists", to: saved.source } satisfies Row
    return { ...row, state: "imported", to: isDryRun ? savedKeys : yield* keys.save(variable, key) } satisfies Row
  }
)

/** The value with the item in it; undefined if it has that already, or another value in its place. */
const change = (
  current: Schema.Json | undefined,
  item: Extract<ImportItem, { readonly path: ReadonlyArray<string>; readonly value: Schema.Json }>
) => {
  if (item._tag === "value") return current === undefined ? item.value : undefined
  const items = Array.isArray(current) ? current as ReadonlyArray<Schema.Json> : []
  const added = Array.isArray(item.value) ? item.value as ReadonlyArray<Schema.Json> : [item.value]
  const missing = added.filter((one) => !items.some((existing) => Equal.equals(existing, one)))
  return missing.length === 0 ? undefined : [...items, ...missing]
}

const setAt = (value: Schema.Json, [key, ...rest]: ReadonlyArray<string>, next: Schema.Json): Schema.Json => {
  if (key === undefined) return next
  const object = typeof value === "object" && value !== null && !Array.isArray(value) ? value as Schema.JsonObject : {}
  return { ...object, [key]: setAt(Object.hasOwn(object, key) ? object[key]! : {}, rest, next) }
}

const isMissing = (path: string) => Effect.map(Effect.flatMap(SmallFiles, ({ read }) => read(path)), ({ _tag }) => _tag === "Missing")

/** Writes a new file, readable only by its owner; false if it exists. */
const create = (path: string, text: string): Effect.Effect<boolean, SettingsError> =>
  Effect.tryPromise({
    try: async () => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      return await writeFile(path, text, { flag: "wx", mode: 0o600 }).then(
        () => true,
        (error: NodeJS.ErrnoException) => error.code === "EEXIST" ? false : Promise.reject(error)
      )
    },
    catch: (error) =>
      new SettingsError({ where: path, message: `can't be written: ${(error as NodeJS.ErrnoException).code ?? String(error)}` })
  })
