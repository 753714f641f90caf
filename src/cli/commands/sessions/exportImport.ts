/** `dacapo sessions export|import|backup`: what leaves the store, and what comes into it. */
import * as Effect from "effect/Effect"
import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import * as Session from "../../../domain/session/Session.ts"
import type { Exported } from "../../../layers/storage/SessionFile.ts"
import { Redactor } from "../../../services/Redactor.ts"
import { Storage } from "../../../services/Storage.ts"
import type { Given } from "../../Commands.ts"
import { InputError, UsageError } from "../../process/CliError.ts"
import { Host } from "../../process/Host.ts"
import * as Json from "../../render/json/StreamJson.ts"
import * as Runtime from "../../process/UnattendedAgent.ts"
import * as SessionNames from "../../start/FindSession.ts"
import * as Summarised from "../../../layers/storage/SessionSummary.ts"

const exported = Effect.promise(() => import("../../../layers/storage/SessionFile.ts"))

/** To standard output. */
export const write = Effect.fnUntraced(function*({ values, words: [word = "latest"] }: Given) {
  const { cwd, stdout } = yield* Host
  const storage = yield* Storage
  const file = yield* exported
  const { id } = yield* SessionNames.find(word)
  const whole = yield* file.gather(id, yield* storage.read(id, 0), storage.getBlob)
  const leaves = values.redact === true ? yield* Effect.provide(clean(whole), yield* Runtime.unattended(cwd)) : whole
  const session = Session.fold(leaves.events)
  const { html, markdown } = yield* Effect.promise(() => import("../../render/text/SessionDocument.ts"))
  const texts = { jsonl: () => file.write(leaves), markdown: () => markdown(session, leaves.events), html: () => html(session, leaves.events) }
  yield* stdout.write(texts[values.format ?? "jsonl"]())
  return 0
})

/** Without its secrets. */
const clean = Effect.fnUntraced(function*(whole: Exported) {
  const { redacted } = yield* Effect.promise(() => import("../../../layers/replay/RedactSession.ts"))
  return yield* redacted(whole, yield* Effect.flatMap(Redactor, ({ redact }) => redact))
})

/** A file that `export` wrote. */
export const load = Effect.fnUntraced(function*(name: string) {
  const { cwd } = yield* Host
  const path = resolve(cwd, name)
  const text = yield* Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: (error) => new InputError({ message: `${path} can't be read: ${(error as Error).message}` })
  })
  return yield* (yield* exported).read(path, text)
})

/** Keeps a session that came as a file; one that is here already is left as it is. */
export const keep = Effect.fnUntraced(function*({ blobs, events, lines }: Exported) {
  const storage = yield* Storage
  const id = (yield* exported).idOf(events)
  const here = yield* storage.read(id, 0)
  if (here.length > 0 && here.at(-1)!.hash !== lines.at(-1)!.hash) {
    return yield* new InputError({ message: `There is a session ${id} already, and it went another way: delete it, or import into another DACAPO_HOME.` })
  }
  if (here.length === 0) {
    yield* Effect.forEach(blobs, ([hash, bytes]) => storage.putBlob(hash, bytes), { discard: true })
    yield* storage.append(id, lines, { sync: true, summary: Summarised.of(Session.fold(events)) })
  }
  return { id, events: lines.length, imported: here.length === 0 }
})

export const read = Effect.fnUntraced(function*({ values, words: [word] }: Given) {
  const { stdout } = yield* Host
  if (word === undefined) return yield* new UsageError({ message: "Name a file: `dacapo sessions import <file>`." })
  const { events, id, imported } = yield* keep(yield* load(word))
  yield* stdout.write(values.outputFormat === undefined || values.outputFormat === "text"
    ? `Session ${id}: ${events} events${imported ? "" : ", all here already"}.\n`
    : Json.line({ session_id: id, events, imported }))
  return 0
})

export const backup = Effect.fnUntraced(function*({ values, words: [word] }: Given) {
  const { cwd, stdout } = yield* Host
  const storage = yield* Storage
  if (word === undefined) return yield* new UsageError({ message: "Name a new file: `dacapo sessions backup <file>`." })
  const file = resolve(cwd, word)
  yield* storage.backup(file)
  yield* stdout.write(values.outputFormat === undefined || values.outputFormat === "text"
    ? `All sessions are copied to ${file}. To use the copy, put it in the data folder as sessions.db.\n`
    : Json.line({ file }))
  return 0
})
