/** `dacapo replay <session | file>`: the same code runs again on what the log answers; with `--live`, on from there. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SessionEvent } from "../../domain/session/SessionEvent.ts"
import type { Given, Run } from "../Commands.ts"
import { InputError, UsageError } from "../process/CliError.ts"
import * as Earlier from "../start/ResumeSession.ts"
import * as Folder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"
import * as Playback from "../replay/Playback.ts"
import * as Recorded from "../replay/LoadRecording.ts"
import * as Json from "../render/json/StreamJson.ts"
import * as Status from "../render/text/StatusLine.ts"
import * as Theme from "../render/text/Theme.ts"
import * as View from "../render/view/View.ts"
import * as Runtime from "../process/UnattendedAgent.ts"
import * as Seq from "../Seq.ts"
import * as Carry from "./sessions/exportImport.ts"

export const run: Run = Effect.fnUntraced(function*(given) {
  const { values, words: [word = "latest", ...prompt] } = given
  const host = yield* Host
  const cwd = yield* Folder.open(host.cwd, values.cd)
  const work = Effect.gen(function*() {
    const recorded = yield* Recorded.find(word)
    const last = yield* until(recorded.events, values.until)
    yield* otherVersion(recorded.events)
    if (values.verify !== true && values.live !== true) yield* show(recorded, last, values)
    const { verify } = yield* Effect.promise(() => import("../../layers/replay/Replay.ts"))
    const { events } = yield* verify(recorded.events, { getBlob: recorded.getBlob, until: last })
    const children = values.verify === true && values.until === undefined ? yield* offspring(recorded) : []
    yield* Effect.forEach(children, (child) => verify(child.events, child), { discard: true })
    if (values.live === true) return yield* branch(recorded, last, values)
    yield* host.stdout.write(isText(values)
      ? `Session ${recorded.id} replays exactly: ${events} events, hash for hash${children.length === 0 ? "" : `; so do the ${children.length} sessions that it started`}.\n`
      : Json.line({ session_id: recorded.id, verified: true, events, ...(children.length === 0 ? {} : { children: children.map(({ id }) => id) }) }))
    return undefined
  })
  const fork = yield* Effect.provide(work, yield* Runtime.unattended(cwd))
  if (fork === undefined) return 0
  const live = yield* Effect.promise(() => import("./Run.ts"))
  const { files: _, to: __, ...flags } = values
  return yield* live.run({ ...given, words: prompt, values: { ...flags, resume: fork } })
})

const isText = ({ outputFormat = "text" }: Given["values"]): boolean => outputFormat === "text"

/** The last event that is replayed. */
const until = Effect.fnUntraced(function*(events: ReadonlyArray<SessionEvent>, text: string | undefined) {
  const seq = text === undefined ? events.length - 1 : yield* Seq.parse(text)
  return seq < events.length ? seq : yield* new InputError({ message: `There is no event ${seq}: the session has events 0 to ${events.length - 1}.` })
})

/** The sessions that one started, and those that they did, as far as they are kept here. */
const offspring: (recorded: Recorded.Recorded) => ReturnType<typeof children> = Effect.fnUntraced(function*(recorded) {
  const own = yield* children(recorded)
  const below = yield* Effect.forEach(own, offspring)
  return [...own, ...below.flat()]
})

const children = Effect.fnUntraced(function*({ events, file }: Recorded.Recorded) {
  const ids = file !== undefined ? [] : events.flatMap(({ event }) => event._tag === "ChildStarted" ? [event.session] : [])
  const kept = yield* Effect.forEach(ids, (id) => Effect.option(Recorded.find(id)))
  return kept.flatMap(Option.toArray)
})

/** What differs may differ because dacapo does. */
const otherVersion = Effect.fnUntraced(function*(events: ReadonlyArray<SessionEvent>) {
  const { environment: { version }, stderr } = yield* Host
  const others = new Set(events.flatMap(({ event }) => "dacapo" in event && event.dacapo !== version ? [event.dacapo] : []))
  if (others.size === 0) return
  yield* Effect.ignore(stderr.write(`dacapo: recorded by dacapo ${View.text([...others].join(", "))}, replayed by ${version}: what differs may be a change between them.\n`))
})

const show = Effect.fnUntraced(function*(recorded: Recorded.Recorded, last: number, values: Given["values"]) {
  const { environment, stdout } = yield* Host
  const speed = Number(values.speed ?? 0)
  if (!(speed >= 0 && speed < Infinity)) return yield* new UsageError({ message: `--speed is a number: 0 at once, 1 as it was; "${values.speed}" is none.` })
  if (!isText(values)) return
  const theme = Theme.of(values.color ?? "auto", stdout.tty, environment.variables)
  const view = yield* Playback.play({ ...recorded, events: recorded.events.slice(0, last + 1) }, speed, theme)
  yield* stdout.write(`${values.screen === true ? `\n${Status.line(view.status, theme)}\n` : ""}\n`)
})

/** A fork there, which goes on with the real layers; a session that came as a file is kept first. */
const branch = Effect.fnUntraced(function*(recorded: Recorded.Recorded, last: number, values: Given["values"]) {
  if (recorded.file !== undefined) yield* Carry.keep(yield* Carry.load(recorded.file))
  return yield* Earlier.fork({ ...values, to: `${last}` }, recorded.id)
})
