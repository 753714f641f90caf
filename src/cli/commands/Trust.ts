/** `dacapo trust [folder]`: lets the settings, commands and servers of a folder take effect; `--revoke` undoes it. */
import * as Effect from "effect/Effect"
import { Trust } from "../../services/Trust.ts"
import type { Run } from "../Command.ts"
import * as TrustChanges from "../start/TrustChanges.ts"
import { UsageError } from "../process/CliError.ts"
import * as WorkingFolder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"
import * as StreamJson from "../render/json/StreamJson.ts"
import * as View from "../render/view/View.ts"
import { AgentLayers } from "../process/AgentLayers.ts"

export const run: Run = Effect.fnUntraced(function*({ values, args: [name, ...extraArgs] }) {
  const { cwd, stdout } = yield* Host
  if (extraArgs.length > 0) return yield* new UsageError({ message: "`dacapo trust` takes one folder." })
  const folder = yield* WorkingFolder.open(yield* WorkingFolder.open(cwd, values.cd), name)
  const shouldTrust = values.revoke !== true
  const work = Effect.gen(function*() {
    const trust = yield* Trust
    const wasTrusted = yield* trust.isTrusted(folder)
    const waiting = yield* trust.items(folder)
    yield* trust.change(folder, shouldTrust ? "trusted" : "refused", waiting)
    const isTrusted = yield* trust.isTrusted(folder)
    const changes = wasTrusted && shouldTrust ? TrustChanges.describe(waiting) : ""
    yield* stdout.write(
      values.outputFormat === undefined || values.outputFormat === "text"
        ? [
          isTrusted === shouldTrust
            ? `${View.line(folder)} is ${shouldTrust ? "trusted" : "no longer trusted"}.`
            : `${View.line(folder)} is still trusted, because a parent folder is.`,
          ...(changes === "" ? [] : [`Changed since you trusted it, now confirmed: ${changes}.`]),
          ...waiting.map(({ path, effect }) =>
            View.text(`  ${path} ${shouldTrust ? effect : `has no effect (it ${effect})`}`).replaceAll("\n", " ")
          )
        ].join("\n") + "\n"
        : StreamJson.line({
          folder,
          trusted: isTrusted,
          waiting: waiting.map(({ changed, path, effect }) => ({ path, what: effect, changed }))
        })
    )
    return 0
  })
  return yield* Effect.provide(work, (yield* AgentLayers).records)
})
