/** `dacapo rewind <session> --to <seq>`: back to a moment of a session, its files, its conversation, or both. */
import * as Effect from "effect/Effect"
import * as Back from "../replay/RewindSession.ts"
import type { Run } from "../Commands.ts"
import { UsageError } from "../process/CliError.ts"
import * as Folder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"
import * as Json from "../render/json/StreamJson.ts"
import * as Lines from "../render/text/BlockLines.ts"
import * as Runtime from "../process/UnattendedAgent.ts"
import * as Seq from "../Seq.ts"
import * as SessionNames from "../start/FindSession.ts"
import { Wiring } from "../process/AgentLayers.ts"

export const run: Run = Effect.fnUntraced(function*({ values, words: [word] }) {
  const host = yield* Host
  const { records } = yield* Wiring
  if (word === undefined) return yield* new UsageError({ message: "Name a session: `dacapo rewind <session> --to <seq>`; latest is that of this folder." })
  if (values.to === undefined) {
    return yield* new UsageError({ message: `Say where to: \`--to <seq>\`. \`dacapo sessions show ${word} --verbose\` shows the events with their seqs.` })
  }
  const to = yield* Seq.parse(values.to)
  const here = yield* Folder.open(host.cwd, values.cd)
  const { cwd, id } = yield* Effect.provide(SessionNames.find(word, word === "latest" ? here : undefined), records)
  const parts = wanted(values)
  const work = Back.go({ session: id, cwd, back: { to, ...parts, remove: values.remove ?? [] }, yes: values.yes })
  const went = yield* Effect.provide(work, yield* Runtime.unattended(yield* Folder.open(cwd, undefined)))
  yield* host.stdout.write(values.outputFormat === undefined || values.outputFormat === "text"
    ? [...Back.lines(went), `Session ${id} is back at event ${to}: ${told(parts, went.changes.length)}.`].map((line) => `${line}\n`).join("")
    : Json.line({ session_id: id, to, ...parts, ...went }))
  return 0
})

interface Parts {
  readonly files: boolean
  readonly conversation: boolean
}

/** Both, unless one of them is named. */
const wanted = ({ both, conversation, files }: { readonly [Part in keyof Parts | "both"]?: boolean }): Parts => {
  const all = both === true || (files !== true && conversation !== true)
  return { files: all || files === true, conversation: all || conversation === true }
}

const told = ({ conversation, files }: Parts, changed: number): string =>
  [...(conversation ? ["its conversation"] : []), ...(files ? [Lines.many(changed, "file")] : [])].join(" and ")
