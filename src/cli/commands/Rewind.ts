/** `dacapo rewind <session> --to <seq>`: restores the files, the conversation, or both, as of an event. */
import * as Effect from "effect/Effect"
import * as RewindSession from "../replay/RewindSession.ts"
import type { Run } from "../Command.ts"
import { UsageError } from "../process/CliError.ts"
import * as WorkingFolder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"
import * as StreamJson from "../render/json/StreamJson.ts"
import * as BlockLines from "../render/text/BlockLines.ts"
import * as UnattendedAgent from "../process/UnattendedAgent.ts"
import * as FindSession from "../start/FindSession.ts"
import { AgentLayers } from "../process/AgentLayers.ts"

export const run: Run = Effect.fnUntraced(function*({ values, args: [name] }) {
  const host = yield* Host
  const { records } = yield* AgentLayers
  if (name === undefined) {
    return yield* new UsageError({
      message: "Name a session: `dacapo rewind <session> --to <seq>`, where latest is the latest in this folder."
    })
  }
  if (values.to === undefined) {
    return yield* new UsageError({
      message: `Name an event with --to <seq>. Run \`dacapo sessions show ${name} --verbose\` to list the events with their numbers.`
    })
  }
  const to = yield* FindSession.parse(values.to)
  const hostCwd = yield* WorkingFolder.open(host.cwd, values.cd)
  const { cwd, id } = yield* Effect.provide(FindSession.find(name, name === "latest" ? hostCwd : undefined), records)
  const parts = selectParts(values)
  const work = RewindSession.rewind({ session: id, cwd, target: { to, ...parts, remove: values.remove ?? [] }, values })
  const result = yield* Effect.provide(work, yield* UnattendedAgent.unattendedLayer(yield* WorkingFolder.open(cwd, undefined)))
  yield* host.stdout.write(
    values.outputFormat === undefined || values.outputFormat === "text"
      ? [...RewindSession.lines(result), `Session ${id} is rewound to event ${to}: ${partsText(parts, result.changes.length)}.`].map((
        line
      ) => `${line}\n`).join("")
      : StreamJson.line({ session_id: id, to, ...parts, changes: result.changes, kept: result.remaining })
  )
  return 0
})

interface Parts {
  readonly files: boolean
  readonly conversation: boolean
}

/** Both, unless a flag names one of them. */
const selectParts = ({ both, conversation, files }: { readonly [Part in keyof Parts | "both"]?: boolean }): Parts => {
  const all = both === true || (files !== true && conversation !== true)
  return { files: all || files === true, conversation: all || conversation === true }
}

const partsText = ({ conversation, files }: Parts, changedFiles: number): string =>
  [...(conversation ? ["conversation"] : []), ...(files ? [BlockLines.plural(changedFiles, "file")] : [])].join(" and ")
