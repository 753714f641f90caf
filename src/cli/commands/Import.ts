/** `dacapo import [agent...]`: takes over settings, rules, MCP servers, agents and commands of other agents, with a report. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { similarNames } from "../../domain/provider/SimilarNames.ts"
import * as SmallFile from "../../layers/context/sources/SmallFile.ts"
import { builtin } from "../../layers/settings/foreign/builtin.ts"
import * as ImportFiles from "../../layers/settings/foreign/ImportFiles.ts"
import * as JsonFilesLive from "../../layers/settings/JsonFilesLive.ts"
import * as KeysLive from "../../layers/settings/KeysLive.ts"
import { Environment } from "../../services/Environment.ts"
import type { Run } from "../Command.ts"
import { UsageError } from "../process/CliError.ts"
import { Host } from "../process/Host.ts"
import * as StreamJson from "../render/json/StreamJson.ts"
import * as View from "../render/view/View.ts"
import * as WorkingFolder from "../start/WorkingFolder.ts"

export const run: Run = Effect.fnUntraced(function*({ args, values: { cd, dryRun = false, outputFormat = "text" } }) {
  const { cwd: hostCwd, environment, stdout } = yield* Host
  const cwd = yield* WorkingFolder.open(hostCwd, cd)
  const names = builtin.map(({ name }) => name)
  for (const name of args) {
    if (names.includes(name)) continue
    const [similarName] = similarNames(name, names)
    return yield* new UsageError({
      message: `"${name}" is not an agent that can be imported from; ${
        similarName === undefined ? `expected one of ${names.join(", ")}` : `did you mean ${similarName}?`
      }`
    })
  }
  const agents = builtin.filter(({ name }) => args.length === 0 || args.includes(name))
  const rows = yield* ImportFiles.importFrom(agents, cwd, dryRun).pipe(
    Effect.provide(Layer.mergeAll(
      Layer.provide(SmallFile.layerMachine, NodeFileSystem.layer),
      Layer.provideMerge(Layer.merge(JsonFilesLive.layer, KeysLive.layer), Layer.succeed(Environment, environment))
    ))
  )
  yield* stdout.write(outputFormat === "text" ? text(rows, cwd, dryRun) : StreamJson.line({ dry_run: dryRun, items: rows }))
  return 0
})

const text = (rows: ReadonlyArray<ImportFiles.Row>, cwd: string, isDryRun: boolean): string => {
  if (rows.length === 0) return `Found no files of ${builtin.map(({ title }) => title).join(", ")}.\n`
  const count = rows.filter(({ state }) => state === "imported").length
  const changesProject = rows.some(({ state, to }) => state === "imported" && to?.startsWith(`${cwd}/`) === true)
  return [
    ...[...new Set(rows.map(({ from }) => from))].flatMap((file) => [
      View.line(file),
      ...rows.filter(({ from }) => from === file).map((row) => View.line(`  ${lines[row.state](row, isDryRun)}`))
    ]),
    "",
    isDryRun ? `${count} items would be imported. Nothing was changed.` : `Imported ${count} items.`,
    ...(changesProject && !isDryRun ? ["Run `dacapo trust` to put what was imported into this folder into effect."] : [])
  ].map((line) => `${line}\n`).join("")
}

const lines: Readonly<Record<ImportFiles.Row["state"], (row: ImportFiles.Row, isDryRun: boolean) => string>> = {
  exists: ({ title, to }) => `· ${title}: left as it is in ${to}`,
  imported: ({ title, to }, isDryRun) => `${isDryRun ? "+" : "✓"} ${title} → ${to}`,
  inPlace: ({ title }) => `· ${title}: dacapo reads this file`,
  skipped: ({ title, why }) => `! ${title}: ${why}`
}
