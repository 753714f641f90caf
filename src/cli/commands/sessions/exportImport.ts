/** `dacapo sessions export|import|backup`: sessions as files. */
import * as Effect from "effect/Effect"
import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import * as ForeignTranscript from "../../../domain/message/ForeignTranscript.ts"
import * as Session from "../../../domain/session/Session.ts"
import type { SessionExport } from "../../../layers/storage/SessionFile.ts"
import { Redactor } from "../../../services/Redactor.ts"
import { Storage } from "../../../services/Storage.ts"
import type { Invocation } from "../../Command.ts"
import type { Values } from "../../args/Flags.ts"
import { InputError, UsageError } from "../../process/CliError.ts"
import { Host } from "../../process/Host.ts"
import * as StreamJson from "../../render/json/StreamJson.ts"
import * as View from "../../render/view/View.ts"
import * as UnattendedAgent from "../../process/UnattendedAgent.ts"
import * as FindSession from "../../start/FindSession.ts"
import * as Transcript from "./transcript.ts"
import * as SessionSummary from "../../../layers/storage/SessionSummary.ts"

const sessionFile = Effect.promise(() => import("../../../layers/storage/SessionFile.ts"))

/** Writes a session to standard output. */
export const exportSession = Effect.fnUntraced(function*({ values, args: [name = "latest"] }: Invocation) {
  const { cwd, stdout } = yield* Host
  const storage = yield* Storage
  const file = yield* sessionFile
  const { id } = yield* FindSession.find(name)
  const exportFile = yield* file.gather(id, yield* storage.read(id, 0), storage.getBlob)
  const output = values.redact === true
    ? yield* Effect.provide(redactFile(exportFile), yield* UnattendedAgent.unattendedLayer(cwd))
    : exportFile
  const session = Session.fold(output.events)
  const { html, markdown } = yield* Effect.promise(() => import("../../render/text/SessionDocument.ts"))
  const texts = {
    jsonl: () => file.write(output),
    markdown: () => markdown(session, output.events),
    html: () => html(session, output.events)
  }
  yield* stdout.data(texts[values.format ?? "jsonl"]())
  return 0
})

/** Removes secrets from an export. */
const redactFile = Effect.fnUntraced(function*(exportFile: SessionExport) {
  const { redactSession } = yield* Effect.promise(() => import("../../../layers/replay/RedactSession.ts"))
  return yield* redactSession(exportFile, yield* Effect.flatMap(Redactor, ({ redact }) => redact))
})

const readText = Effect.fnUntraced(function*(name: string) {
  const { cwd } = yield* Host
  const path = resolve(cwd, name)
  const text = yield* Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: (error) => new InputError({ message: `Can't read ${path}: ${(error as Error).message}.` })
  })
  return { path, text }
})

/** Reads a file that `export` wrote. */
export const load = Effect.fnUntraced(function*(name: string) {
  const { path, text } = yield* readText(name)
  return yield* (yield* sessionFile).read(path, text)
})

/** Stores a session read from a file; an existing session is left as it is. */
export const store = Effect.fnUntraced(function*({ blobs, events, lines }: SessionExport) {
  const storage = yield* Storage
  const id = (yield* sessionFile).idOf(events)
  const existing = yield* storage.read(id, 0)
  if (existing.length > 0 && existing.at(-1)!.hash !== lines.at(-1)!.hash) {
    return yield* new InputError({
      message: `Session ${id} already exists with different events. Delete it, or import into another DACAPO_HOME.`
    })
  }
  if (existing.length === 0) {
    yield* Effect.forEach(blobs, ([hash, bytes]) => storage.putBlob(hash, bytes), { discard: true })
    yield* storage.append(id, lines, { sync: true, summary: SessionSummary.of(Session.fold(events)) })
  }
  return { id, events: lines.length, imported: existing.length === 0 }
})

export const importSession = Effect.fnUntraced(function*({ values, args: [path] }: Invocation) {
  const { cwd, stdout } = yield* Host
  if (path === undefined) return yield* new UsageError({ message: "Name a file: `dacapo sessions import <file>`." })
  const file = yield* readText(path)
  const transcript = ForeignTranscript.parse(file.text)
  if (transcript !== undefined) return yield* importTranscript(values, transcript, cwd)
  const { events, id, imported } = yield* store(yield* (yield* sessionFile).read(file.path, file.text))
  yield* stdout.write(
    values.outputFormat === undefined || values.outputFormat === "text"
      ? `${imported ? "Imported session" : "Already stored: session"} ${id}, ${events} events.\n`
      : StreamJson.line({ session_id: id, events, imported })
  )
  return 0
})

/** A conversation of another agent. */
const importTranscript = Effect.fnUntraced(function*(values: Values, transcript: ForeignTranscript.Transcript, cwd: string) {
  const { stdout } = yield* Host
  const { entries, id, omitted, unreadLines } = yield* Transcript.store(values, transcript, cwd)
  const notes = [
    ...(omitted === 0 ? [] : [`${omitted} earlier entries were left out`]),
    ...(unreadLines === 0 ? [] : [`${unreadLines} lines could not be read`])
  ]
  yield* stdout.write(
    values.outputFormat === undefined || values.outputFormat === "text"
      ? `Imported session ${id} with ${entries} entries${
        notes.length === 0 ? "" : ` (${notes.join(", ")})`
      }. Continue it with \`dacapo --resume ${id.slice(0, 8)}\`.\n`
      : StreamJson.line({ session_id: id, entries, omitted, unread_lines: unreadLines, imported: true })
  )
  return 0
})

export const backup = Effect.fnUntraced(function*({ values, args: [path] }: Invocation) {
  const { cwd, stdout } = yield* Host
  const storage = yield* Storage
  if (path === undefined) return yield* new UsageError({ message: "Name a file to create: `dacapo sessions backup <file>`." })
  const file = resolve(cwd, path)
  yield* storage.backup(file)
  yield* stdout.write(
    values.outputFormat === undefined || values.outputFormat === "text"
      ? `All sessions are copied to ${View.line(file)}. To restore them, put this file in the data folder as sessions.db.\n`
      : StreamJson.line({ file })
  )
  return 0
})
