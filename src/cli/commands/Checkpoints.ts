/** `dacapo checkpoints list|diff|restore`: a session's files as they were. */
import * as Effect from "effect/Effect"
import type { Checkpoint } from "../../domain/workspace/Checkpoint.ts"
import { Checkpoints } from "../../services/Checkpoints.ts"
import type { Run } from "../Commands.ts"
import { InputError, UsageError } from "../process/CliError.ts"
import * as Folder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"
import * as Json from "../render/json/StreamJson.ts"
import * as View from "../render/view/View.ts"
import * as Runtime from "../process/UnattendedAgent.ts"
import * as SessionNames from "../start/FindSession.ts"
import { Wiring } from "../process/AgentLayers.ts"
import * as Diff from "./Diff.ts"
import * as Rewind from "./Rewind.ts"

export const run: Run = Effect.fnUntraced(function*(given) {
  const { cd, outputFormat = "text", session } = given.values
  const [action = "list", word, ...words] = given.words
  const host = yield* Host
  const { records } = yield* Wiring
  if (action === "diff") return yield* Diff.run({ ...given, words: given.words.slice(1) })
  if (action !== "list" && action !== "restore") {
    return yield* new UsageError({ message: `\`dacapo checkpoints\` knows list, diff and restore; "${action}" is none of them.` })
  }
  const here = yield* Folder.open(host.cwd, cd)
  const { cwd, id } = yield* Effect.provide(SessionNames.find(session ?? "latest", session === undefined ? here : undefined), records)
  const list = yield* Effect.provide(Effect.flatMap(Checkpoints, ({ list }) => list(id)), yield* Runtime.unattended(yield* Folder.open(cwd, undefined)))
  if (action === "list") {
    yield* host.stdout.write(outputFormat === "text" ? list.map(row).join("") || "This session has no checkpoint.\n" : Json.line(list))
    return 0
  }
  const found = list.filter((one) => word !== undefined && one.id.startsWith(word))
  if (found.length !== 1) {
    return yield* new InputError({ message: `${found.length} checkpoints of this session begin with ${word}: \`dacapo checkpoints list\` shows them.` })
  }
  return yield* Rewind.run({ ...given, words: [id, ...words], values: { ...given.values, to: `${found[0]!.seq}`, files: true } })
})

const row = ({ counts, id, seq, time, why }: Checkpoint): string =>
  `${id.slice(0, 10)}  ${new Date(time).toISOString().slice(0, 19).replace("T", " ")}  event ${`${seq}`.padEnd(5)} ` +
  `${counts.files} files +${counts.added} -${counts.removed}  ${View.text(why).replaceAll("\n", " ")}\n`
