/** `dacapo diff [a] [b]`: compares the files at two points of a session; without arguments, at its start and now. */
import * as Effect from "effect/Effect"
import * as Rewind from "../../domain/session/Rewind.ts"
import type { Comparison } from "../../domain/workspace/Checkpoint.ts"
import { Checkpoints } from "../../services/Checkpoints.ts"
import { EventLog } from "../../services/EventLog.ts"
import type { Invocation, Run } from "../Command.ts"
import { InputError, UsageError } from "../process/CliError.ts"
import * as WorkingFolder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"
import * as DiffLines from "../render/text/DiffLines.ts"
import * as StreamJson from "../render/json/StreamJson.ts"
import * as BlockLines from "../render/text/BlockLines.ts"
import * as Theme from "../render/text/Theme.ts"
import * as View from "../render/view/View.ts"
import * as UnattendedAgent from "../process/UnattendedAgent.ts"
import * as FindSession from "../start/FindSession.ts"
import { AgentLayers } from "../process/AgentLayers.ts"

export const run: Run = Effect.fnUntraced(function*({ values, args: [from, to = "now"] }) {
  const host = yield* Host
  const { records } = yield* AgentLayers
  const hostCwd = yield* WorkingFolder.open(host.cwd, values.cd)
  const session = yield* Effect.provide(
    FindSession.find(values.session ?? "latest", values.session === undefined ? hostCwd : undefined),
    records
  )
  const work = Effect.gen(function*() {
    const checkpoints = yield* Checkpoints
    const first = yield* from === undefined ? sessionStart(session.id) : resolvePoint(from, session.id)
    const second = yield* resolvePoint(to, session.id)
    if (first === undefined && second !== undefined) {
      return yield* new UsageError({ message: `The files at ${from} are the current files. Name ${from} second.` })
    }
    return first === undefined ? emptyComparison : yield* second === undefined ? checkpoints.diff(first) : checkpoints.diff(first, second)
  })
  const comparison = yield* Effect.provide(work, yield* UnattendedAgent.unattendedLayer(yield* WorkingFolder.open(session.cwd, undefined)))
  yield* show(comparison, values)
  return 0
})

const emptyComparison: Comparison = { patch: "", changes: [], counts: { files: 0, added: 0, removed: 0 } }

/** The files before the session changed any; undefined if it changed none. */
const sessionStart = Effect.fnUntraced(function*(session: string) {
  const { read } = yield* EventLog
  const start = (yield* read(session)).findLast(({ event }) => event._tag === "SessionStarted")
  return yield* resolvePoint(`${start?.seq ?? 0}`, session)
})

/** The checkpoint that an argument names; undefined for the current files. */
const resolvePoint = Effect.fnUntraced(function*(argument: string, session: string) {
  if (argument === "now") return undefined
  const [, name, seq] = /^(?:(.+)@)?(\d{1,6})$/.exec(argument) ?? []
  if (seq === undefined) return yield* findCheckpoint(argument, session)
  const { read } = yield* EventLog
  const id = name === undefined ? session : (yield* FindSession.find(name)).id
  const events = yield* read(id)
  const files = Number(seq) < events.length ? Rewind.filesAt(events, Number(seq)) : Rewind.Files.Unknown()
  if (files._tag === "Now") return undefined
  if (files._tag === "Saved") return files.id
  return yield* new InputError({
    message: `No checkpoint has the files of session ${id} at event ${seq}. The session has events 0 to ${events.length - 1}.`
  })
})

/** Finds a checkpoint by the start of its id. */
const findCheckpoint = Effect.fnUntraced(function*(idPrefix: string, session: string) {
  const { list } = yield* Checkpoints
  const matches = (yield* list(session)).filter(({ id }) => id.startsWith(idPrefix))
  if (matches.length === 1) return matches[0]!.id
  return yield* new InputError({
    message: matches.length === 0
      ? `Session ${session} has no checkpoint ${idPrefix}. Run \`dacapo checkpoints list --session ${session}\` to list them.`
      : `${matches.length} checkpoints begin with ${idPrefix}. Give more of the id.`
  })
})

/** Prints the patch or, with `--stat`, the line counts of each file. */
export const show = Effect.fnUntraced(function*({ changes, counts, patch }: Comparison, values: Invocation["values"]) {
  const { color, outputFormat = "text", stat } = values
  const { environment, stdout } = yield* Host
  if (outputFormat !== "text") return yield* stdout.write(StreamJson.line({ patch, changes, counts }))
  if (stat === true) {
    const rows = changes.map(({ added, kind, path, removed }) =>
      `${kind.padEnd(8)} ${`+${added}`.padStart(6)} ${`-${removed}`.padStart(6)}  ${View.text(path).replaceAll("\n", "␤")}\n`
    )
    const total = `${BlockLines.plural(counts.files, "file")}, ${BlockLines.plural(counts.added, "line")} added, ${counts.removed} removed`
    return yield* stdout.write(`${rows.join("")}${total}\n`)
  }
  const theme = Theme.of(color ?? "auto", stdout.tty, environment.variables)
  if (patch !== "") yield* stdout.write(`${DiffLines.lines(View.text(patch), theme).join("\n")}\n`)
})
