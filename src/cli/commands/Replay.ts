/** `dacapo replay <session | file>`: runs a session again from its log; with `--live`, continues it in a fork. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SessionEvent } from "../../domain/session/SessionEvent.ts"
import type { Invocation, Run } from "../Command.ts"
import { InputError, UsageError } from "../process/CliError.ts"
import * as ResumeSession from "../start/ResumeSession.ts"
import * as WorkingFolder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"
import * as Playback from "../replay/Playback.ts"
import * as LoadRecording from "../replay/LoadRecording.ts"
import * as StreamJson from "../render/json/StreamJson.ts"
import * as StatusLine from "../render/text/StatusLine.ts"
import * as Theme from "../render/text/Theme.ts"
import * as View from "../render/view/View.ts"
import * as UnattendedAgent from "../process/UnattendedAgent.ts"
import * as FindSession from "../start/FindSession.ts"
import * as exportImport from "./sessions/exportImport.ts"

export const run: Run = Effect.fnUntraced(function*(invocation) {
  const { values, args: [name = "latest", ...prompt] } = invocation
  const host = yield* Host
  const cwd = yield* WorkingFolder.open(host.cwd, values.cd)
  const work = Effect.gen(function*() {
    const recording = yield* LoadRecording.load(name)
    const last = yield* lastSeq(recording.events, values.until)
    yield* warnOtherVersion(recording.events)
    if (values.verify !== true && values.live !== true) yield* show(recording, last, values)
    const { verify } = yield* Effect.promise(() => import("../../layers/replay/Replay.ts"))
    const result = yield* verify(recording.events, { getBlob: recording.getBlob, until: last })
    const { events } = result
    const subagents = values.verify === true && values.until === undefined ? yield* allSubagents(recording) : []
    const subagentResults = yield* Effect.forEach(subagents, (subagent) => verify(subagent.events, subagent))
    const results = [result, ...subagentResults]
    const namesIn = (key: "programTools" | "programProviders") => [...new Set(results.flatMap((one) => one[key] ?? []))].toSorted()
    const [programTools, programProviders] = [namesIn("programTools"), namesIn("programProviders")]
    if (values.live === true) return yield* forkRecording(recording, last, values)
    const subagentIds = subagents.length === 0 ? {} : { children: subagents.map(({ id }) => id) }
    const note = subagents.length === 0 ? "" : `, and so do its ${subagents.length} subagent sessions`
    yield* host.stdout.write(
      isText(values)
        ? [
          `Session ${recording.id} replays exactly: ${events} events, all hashes equal${note}.\n`,
          programNote(programTools, "tool", (names) => `What calls of ${names} touch`),
          programNote(programProviders, "provider", (names) => `What requests to ${names} contain`)
        ].join("")
        : StreamJson.line({
          session_id: recording.id,
          verified: true,
          events,
          ...subagentIds,
          ...(programTools.length === 0 ? {} : { program_tools: programTools }),
          ...(programProviders.length === 0 ? {} : { program_providers: programProviders })
        })
    )
    return undefined
  })
  const fork = yield* Effect.provide(work, yield* UnattendedAgent.unattendedLayer(cwd, { plugins: values.live === true }))
  if (fork === undefined) return 0
  const live = yield* Effect.promise(() => import("./Run.ts"))
  const { files: _, to: __, ...flags } = values
  return yield* live.run({ ...invocation, args: prompt, values: { ...flags, resume: fork } })
})

const isText = ({ outputFormat = "text" }: Invocation["values"]): boolean => outputFormat === "text"

/** Tools and providers of the program that recorded the session: their code is not here, so what it computes was not computed again. */
const programNote = (names: ReadonlyArray<string>, kind: "tool" | "provider", what: (names: string) => string): string =>
  names.length === 0 ? ""
    : `${what(View.line(names.join(", ")))} was taken from the log: ${
      names.length === 1 ? `this ${kind} belongs` : `these ${kind}s belong`
    } to the program that recorded the session.\n`

/** The number of the last event to replay. */
const lastSeq = Effect.fnUntraced(function*(events: ReadonlyArray<SessionEvent>, text: string | undefined) {
  const seq = text === undefined ? events.length - 1 : yield* FindSession.parse(text)
  return seq < events.length
    ? seq
    : yield* new InputError({ message: `Event ${seq} does not exist. The session has events 0 to ${events.length - 1}.` })
})

/** The sessions of the subagents, at every level, as far as they are stored here. */
const allSubagents: (recording: LoadRecording.SessionRecording) => ReturnType<typeof directSubagents> = Effect.fnUntraced(
  function*(recording) {
    const direct = yield* directSubagents(recording)
    const nested = yield* Effect.forEach(direct, allSubagents)
    return [...direct, ...nested.flat()]
  }
)

const directSubagents = Effect.fnUntraced(function*({ events, file }: LoadRecording.SessionRecording) {
  const ids = file !== undefined ? [] : events.flatMap(({ event }) => event._tag === "ChildStarted" ? [event.session] : [])
  const recordings = yield* Effect.forEach(ids, (id) => Effect.option(LoadRecording.load(id)))
  return recordings.flatMap(Option.toArray)
})

/** Warns if another version of dacapo made the recording, which may explain differences. */
const warnOtherVersion = Effect.fnUntraced(function*(events: ReadonlyArray<SessionEvent>) {
  const { environment: { version }, stderr } = yield* Host
  const versions = new Set(events.flatMap(({ event }) => "dacapo" in event && event.dacapo !== version ? [event.dacapo] : []))
  if (versions.size === 0) return
  const versionList = View.line([...versions].join(", "))
  yield* Effect.ignore(stderr.write(
    `dacapo: Recorded with version ${versionList}, replayed with ${version}. Differences may come from the version change.\n`
  ))
})

const show = Effect.fnUntraced(function*(recording: LoadRecording.SessionRecording, last: number, values: Invocation["values"]) {
  const { environment, stdout } = yield* Host
  const speed = Number(values.speed ?? 0)
  if (!(speed >= 0 && speed < Infinity)) {
    return yield* new UsageError({
      message: `"${values.speed}" is not a valid value for --speed; expected a number, such as 0 (no pauses) or 1 (original speed).`
    })
  }
  if (!isText(values)) return
  const theme = Theme.of(values.color ?? "auto", stdout.tty, environment.variables)
  const view = yield* Playback.play({ ...recording, events: recording.events.slice(0, last + 1) }, speed, theme)
  yield* stdout.write(`${values.screen === true ? `\n${StatusLine.statusLine(view.status, theme)}\n` : ""}\n`)
})

/** Forks the session at that event, to continue with the live layers. A session from a file is imported first. */
const forkRecording = Effect.fnUntraced(function*(recording: LoadRecording.SessionRecording, last: number, values: Invocation["values"]) {
  if (recording.file !== undefined) yield* exportImport.store(yield* exportImport.load(recording.file))
  return yield* ResumeSession.fork({ ...values, to: `${last}` }, recording.id)
})
