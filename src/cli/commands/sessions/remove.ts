/** `dacapo sessions delete|prune`: deletes sessions after a confirmation, with the blobs and checkpoints that only they used. */
import * as Effect from "effect/Effect"
import { Checkpoints } from "../../../services/Checkpoints.ts"
import { Storage, type Summary } from "../../../services/Storage.ts"
import type { Invocation } from "../../Command.ts"
import { UsageError } from "../../process/CliError.ts"
import { confirm } from "../../terminal/Confirm.ts"
import { Host } from "../../process/Host.ts"
import * as StreamJson from "../../render/json/StreamJson.ts"
import * as BlockLines from "../../render/text/BlockLines.ts"
import * as View from "../../render/view/View.ts"
import * as UnattendedAgent from "../../process/UnattendedAgent.ts"
import * as Favourites from "../../start/Favourites.ts"
import * as FindSession from "../../start/FindSession.ts"
import { unusedFor } from "./change.ts"
import * as SessionTree from "./SessionTree.ts"

export const remove = Effect.fnUntraced(function*(invocation: Invocation) {
  const [name] = invocation.args
  if (name === undefined) return yield* new UsageError({ message: "Name a session: `dacapo sessions delete <session>`." })
  const session = yield* FindSession.find(name)
  yield* confirm(
    `This deletes session ${session.id} (${View.line(session.title)}) and its checkpoints. It can't be undone.`,
    invocation.values
  )
  return yield* removeAll(invocation, [session])
})

export const prune = Effect.fnUntraced(function*(invocation: Invocation) {
  const sessions = yield* unusedFor(invocation.values.days)
  if (sessions.length > 0) {
    const count = BlockLines.plural(sessions.length, "session")
    const consequence = `This deletes ${count} unused for ${invocation.values.days} days, with checkpoints. It can't be undone.`
    yield* confirm(consequence, invocation.values)
  }
  return yield* removeAll(invocation, sessions)
})

/** Deletes sessions with those of their subagents. Blobs and checkpoint objects used by other sessions stay. */
const removeAll = Effect.fnUntraced(function*({ values }: Invocation, selected: ReadonlyArray<Summary>) {
  const sessions = yield* SessionTree.withSubagents(selected)
  const { stdout } = yield* Host
  const storage = yield* Storage
  yield* Effect.forEach(sessions, ({ id }) => storage.remove(id), { discard: true })
  for (const [cwd, ids] of byFolder(sessions)) {
    // Checkpoints that can't be reached only take disk space.
    yield* Effect.ignore(
      Effect.provide(Effect.flatMap(Checkpoints, ({ forget }) => forget(ids)), yield* UnattendedAgent.unattendedLayer(cwd))
    )
  }
  yield* Effect.ignore(Favourites.change({ remove: sessions.map(({ id }) => id) }))
  const blobs = yield* storage.sweep
  const note = blobs === null ? "A session is open, so unused data is not removed until the next deletion.\n" : ""
  const unusedBlobs = blobs === null ? "" : ` and ${BlockLines.plural(blobs, "unused blob")}`
  yield* stdout.write(
    values.outputFormat === undefined || values.outputFormat === "text"
      ? `Deleted ${BlockLines.plural(sessions.length, "session")}${unusedBlobs}.\n${note}`
      : StreamJson.line({ deleted: sessions.map(({ id }) => id), blobs })
  )
  return 0
})

const byFolder = (sessions: ReadonlyArray<Summary>): ReadonlyMap<string, ReadonlyArray<string>> =>
  new Map(sessions.map(({ cwd }) => [cwd, sessions.filter((one) => one.cwd === cwd).map(({ id }) => id)] as const))
