/** `dacapo trust [folder]`: lets a folder's own settings, commands and servers act; `--revoke` takes it back. */
import * as Effect from "effect/Effect"
import { Trust } from "../../services/Trust.ts"
import type { Run } from "../Commands.ts"
import { UsageError } from "../process/CliError.ts"
import * as Folder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"
import * as Json from "../render/json/StreamJson.ts"
import * as View from "../render/view/View.ts"
import { Wiring } from "../process/AgentLayers.ts"

export const run: Run = Effect.fnUntraced(function*({ values, words: [named, ...more] }) {
  const { cwd, stdout } = yield* Host
  if (more.length > 0) return yield* new UsageError({ message: "`dacapo trust` takes one folder." })
  const folder = yield* Folder.open(yield* Folder.open(cwd, values.cd), named)
  const trusted = values.revoke !== true
  const work = Effect.gen(function*() {
    const trust = yield* Trust
    yield* trust.change(folder, trusted)
    const still = yield* trust.holds(folder)
    const waiting = yield* trust.waiting(folder)
    yield* stdout.write(values.outputFormat === undefined || values.outputFormat === "text"
      ? [
        still === trusted ? `${View.text(folder)} is ${trusted ? "trusted" : "not trusted any more"}.` : `${View.text(folder)} lies in a folder that is trusted, so it still is.`,
        ...waiting.map(({ path, what }) => `  ${path} ${still ? what : `does nothing (it ${what})`}`)
      ].join("\n") + "\n"
      : Json.line({ folder, trusted: still, waiting }))
    return 0
  })
  return yield* Effect.provide(work, (yield* Wiring).records)
})
