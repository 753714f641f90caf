/** `dacapo sessions delete|prune`: asked about, and what nobody needs any more goes with it. */
import * as Effect from "effect/Effect"
import { Checkpoints } from "../../../services/Checkpoints.ts"
import { Storage, type Summary } from "../../../services/Storage.ts"
import type { Given } from "../../Commands.ts"
import { UsageError } from "../../process/CliError.ts"
import { confirm } from "../../terminal/Confirm.ts"
import { Host } from "../../process/Host.ts"
import * as Json from "../../render/json/StreamJson.ts"
import * as View from "../../render/view/View.ts"
import * as Runtime from "../../process/UnattendedAgent.ts"
import * as SessionNames from "../../start/FindSession.ts"
import { older } from "./change.ts"
import * as Family from "./SessionTree.ts"

export const remove = Effect.fnUntraced(function*(given: Given) {
  const [word] = given.words
  if (word === undefined) return yield* new UsageError({ message: "Name a session: `dacapo sessions delete <session>`." })
  const session = yield* SessionNames.find(word)
  yield* confirm(`Session ${session.id} (${View.text(session.title)}) would be deleted, with its checkpoints; nothing brings it back.`, given.values.yes)
  return yield* all(given, [session])
})

export const prune = Effect.fnUntraced(function*(given: Given) {
  const old = yield* older(given.values.days)
  if (old.length > 0) yield* confirm(`${old.length} sessions that were not used for ${given.values.days} days would be deleted, with their checkpoints; nothing brings them back.`, given.values.yes)
  return yield* all(given, old)
})

/** With the sessions that they started. Blobs and checkpoints' objects that another session names stay. */
const all = Effect.fnUntraced(function*({ values }: Given, named: ReadonlyArray<Summary>) {
  const sessions = yield* Family.whole(named)
  const { stdout } = yield* Host
  const storage = yield* Storage
  yield* Effect.forEach(sessions, ({ id }) => storage.remove(id), { discard: true })
  for (const [cwd, ids] of byFolder(sessions)) {
    // What can't be reached takes room and does no harm.
    yield* Effect.ignore(Effect.provide(Effect.flatMap(Checkpoints, ({ forget }) => forget(ids)), yield* Runtime.unattended(cwd)))
  }
  const blobs = yield* storage.sweep
  const left = blobs === null ? "A session is open: what it may still need is kept until the next time.\n" : ""
  yield* stdout.write(values.outputFormat === undefined || values.outputFormat === "text"
    ? `${sessions.length} sessions are deleted${blobs === null ? "" : `, and ${blobs} blobs that nothing else names`}.\n${left}`
    : Json.line({ deleted: sessions.map(({ id }) => id), blobs }))
  return 0
})

const byFolder = (sessions: ReadonlyArray<Summary>): ReadonlyMap<string, ReadonlyArray<string>> =>
  new Map(sessions.map(({ cwd }) => [cwd, sessions.filter((one) => one.cwd === cwd).map(({ id }) => id)] as const))
