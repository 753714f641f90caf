/** `dacapo checkpoints list|diff|restore`: the file checkpoints of a session. */
import * as Effect from "effect/Effect"
import type { Checkpoint } from "../../domain/workspace/Checkpoint.ts"
import { Checkpoints } from "../../services/Checkpoints.ts"
import type { Run } from "../Command.ts"
import { InputError, UsageError, unknownAction } from "../process/CliError.ts"
import * as WorkingFolder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"
import * as StreamJson from "../render/json/StreamJson.ts"
import * as BlockLines from "../render/text/BlockLines.ts"
import * as View from "../render/view/View.ts"
import * as UnattendedAgent from "../process/UnattendedAgent.ts"
import * as FindSession from "../start/FindSession.ts"
import { AgentLayers } from "../process/AgentLayers.ts"
import * as Diff from "./Diff.ts"
import * as Rewind from "./Rewind.ts"

export const run: Run = Effect.fnUntraced(function*(invocation) {
  const { cd, outputFormat = "text", session } = invocation.values
  const [action = "list", idPrefix, ...args] = invocation.args
  const host = yield* Host
  const { records } = yield* AgentLayers
  if (action === "diff") return yield* Diff.run({ ...invocation, args: invocation.args.slice(1) })
  if (action !== "list" && action !== "restore") {
    return yield* unknownAction("checkpoints", action, ["list", "diff", "restore"])
  }
  const hostCwd = yield* WorkingFolder.open(host.cwd, cd)
  const { cwd, id } = yield* Effect.provide(FindSession.find(session ?? "latest", session === undefined ? hostCwd : undefined), records)
  const list = yield* Effect.provide(
    Effect.flatMap(Checkpoints, ({ list }) => list(id)),
    yield* UnattendedAgent.unattendedLayer(yield* WorkingFolder.open(cwd, undefined))
  )
  if (action === "list") {
    yield* host.stdout.write(
      outputFormat === "text" ? list.map(row).join("") || "This session has no checkpoints.\n" : StreamJson.line(list)
    )
    return 0
  }
  if (idPrefix === undefined) return yield* new UsageError({ message: "Name a checkpoint: `dacapo checkpoints restore <checkpoint>`." })
  const matches = list.filter((one) => one.id.startsWith(idPrefix))
  if (matches.length !== 1) {
    const problem = matches.length === 0
      ? `This session has no checkpoint ${idPrefix}`
      : `${matches.length} checkpoints of this session begin with ${idPrefix}`
    return yield* new InputError({ message: `${problem}. Run \`dacapo checkpoints list\` to list them.` })
  }
  return yield* Rewind.run({ ...invocation, args: [id, ...args], values: { ...invocation.values, to: `${matches[0]!.seq}`, files: true } })
})

const row = ({ counts, id, seq, time, why }: Checkpoint): string =>
  `${id.slice(0, 10)}  ${new Date(time).toISOString().slice(0, 19).replace("T", " ")}  event ${`${seq}`.padEnd(5)} ` +
  `${BlockLines.plural(counts.files, "file")} +${counts.added} -${counts.removed}  ${View.text(why).replaceAll("\n", " ")}\n`
