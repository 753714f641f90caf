/** `dacapo diff <a> [b]`: what the files of two moments differ by. */
import * as Effect from "effect/Effect"
import * as Moment from "../../domain/session/Moment.ts"
import type { Compared } from "../../domain/workspace/Checkpoint.ts"
import { Checkpoints } from "../../services/Checkpoints.ts"
import { EventLog } from "../../services/EventLog.ts"
import type { Given, Run } from "../Commands.ts"
import { InputError, UsageError } from "../process/CliError.ts"
import * as Folder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"
import * as Diff from "../render/text/DiffLines.ts"
import * as Json from "../render/json/StreamJson.ts"
import * as Lines from "../render/text/BlockLines.ts"
import * as Theme from "../render/text/Theme.ts"
import * as View from "../render/view/View.ts"
import * as Runtime from "../process/UnattendedAgent.ts"
import * as SessionNames from "../start/FindSession.ts"
import { Wiring } from "../process/AgentLayers.ts"

export const run: Run = Effect.fnUntraced(function*({ values, words: [from, to = "now"] }) {
  const host = yield* Host
  const { records } = yield* Wiring
  if (from === undefined) return yield* new UsageError({ message: "Name a moment: `dacapo diff <a> [b]`, each a checkpoint, the seq of an event, or <session>@<seq>." })
  const here = yield* Folder.open(host.cwd, values.cd)
  const session = yield* Effect.provide(SessionNames.find(values.session ?? "latest", values.session === undefined ? here : undefined), records)
  const work = Effect.gen(function*() {
    const checkpoints = yield* Checkpoints
    const [before, after] = [yield* moment(from, session.id), yield* moment(to, session.id)]
    if (before === undefined && after !== undefined) {
      return yield* new UsageError({ message: `At ${from} the files are as they are now: name it second.` })
    }
    return before === undefined ? none : yield* after === undefined ? checkpoints.diff(before) : checkpoints.diff(before, after)
  })
  const compared = yield* Effect.provide(work, yield* Runtime.unattended(yield* Folder.open(session.cwd, undefined)))
  yield* show(compared, values)
  return 0
})

const none: Compared = { patch: "", changes: [], counts: { files: 0, added: 0, removed: 0 } }

/** The checkpoint that a word means; undefined: the files as they are now. */
const moment = Effect.fnUntraced(function*(word: string, session: string) {
  if (word === "now") return undefined
  const [, name, seq] = /^(?:(.+)@)?(\d{1,6})$/.exec(word) ?? []
  if (seq === undefined) return yield* checkpoint(word, session)
  const { read } = yield* EventLog
  const id = name === undefined ? session : (yield* SessionNames.find(name)).id
  const events = yield* read(id)
  const files = Number(seq) < events.length ? Moment.files(events, Number(seq)) : Moment.Files.Unknown()
  if (files._tag === "Now") return undefined
  if (files._tag === "Saved") return files.id
  return yield* new InputError({ message: `No checkpoint shows the files of session ${id} at event ${seq} (its events are 0 to ${events.length - 1}).` })
})

/** By the start of its id. */
const checkpoint = Effect.fnUntraced(function*(word: string, session: string) {
  const { list } = yield* Checkpoints
  const found = (yield* list(session)).filter(({ id }) => id.startsWith(word))
  if (found.length === 1) return found[0]!.id
  return yield* new InputError({
    message: found.length === 0
      ? `Session ${session} has no checkpoint ${word}. \`dacapo checkpoints list --session ${session}\` shows them.`
      : `${found.length} checkpoints begin with ${word}.`
  })
})

/** In text: the patch, or with `--stat` a line of counts for each file. */
export const show = Effect.fnUntraced(function*({ changes, counts, patch }: Compared, { color, outputFormat = "text", stat }: Given["values"]) {
  const { environment, stdout } = yield* Host
  if (outputFormat !== "text") return yield* stdout.write(Json.line({ patch, changes, counts }))
  if (stat === true) {
    const rows = changes.map(({ added, kind, path, removed }) => `${kind.padEnd(8)} ${`+${added}`.padStart(6)} ${`-${removed}`.padStart(6)}  ${View.text(path).replaceAll("\n", "␤")}\n`)
    return yield* stdout.write(`${rows.join("")}${Lines.many(counts.files, "file")}, ${Lines.many(counts.added, "line")} added, ${counts.removed} removed\n`)
  }
  const theme = Theme.of(color ?? "auto", stdout.tty, environment.variables)
  if (patch !== "") yield* stdout.write(`${Diff.lines(View.text(patch), theme).join("\n")}\n`)
})
