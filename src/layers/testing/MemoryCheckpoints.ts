/** Checkpoints of a workspace in memory: full copies, named by their number. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Change, type Checkpoint, CheckpointError, countChanges } from "../../domain/workspace/Checkpoint.ts"
import { Checkpoints } from "../../services/Checkpoints.ts"
import { Diff } from "../../services/Diff.ts"
import type { Files } from "./MemoryWorkspace.ts"

interface StoredCheckpoint {
  readonly checkpoint: Checkpoint
  readonly files: Files
}

const decoder = new TextDecoder()

const text = (files: Files, path: string): string | null => {
  const bytes = files.get(path)
  return bytes === undefined ? null : decoder.decode(bytes)
}

const changes = (from: Files, to: Files): ReadonlyArray<Change> =>
  [...new Set([...from.keys(), ...to.keys()])].sort().flatMap((path): ReadonlyArray<Change> => {
    const [before, after] = [text(from, path), text(to, path)]
    return before === after ? [] : [{ path, kind: before === null ? "created" : after === null ? "deleted" : "modified" }]
  })

/** Lines of a unified diff with a certain mark, without its headers. */
const count = (patch: string, mark: "+" | "-"): number =>
  patch.split("\n").filter((line) => line.startsWith(mark) && !line.startsWith(mark.repeat(3))).length

/** Checkpoints of these files, in memory. */
export const layer = (files: Files): Layer.Layer<Checkpoints, never, Diff> =>
  Layer.effect(
    Checkpoints,
    Effect.gen(function*() {
      const diff = yield* Diff
      const checkpoints: Array<StoredCheckpoint> = []
      const find = (id: string) =>
        Effect.suspend(() => {
          const match = checkpoints.find(({ checkpoint }) => checkpoint.id === id)
          return match === undefined
            ? Effect.fail(new CheckpointError({ reason: "NotFound", message: `There is no checkpoint ${id}.` }))
            : Effect.succeed(match.files)
        })
      const add = (session: string, seq: number, why: string): Checkpoint => {
        const counts = { files: changes(checkpoints.at(-1)?.files ?? files, files).length, added: 0, removed: 0 }
        const checkpoint = { id: `checkpoint-${checkpoints.length + 1}`, session, seq, time: 0, why, branch: null, head: null, counts }
        checkpoints.push({ checkpoint, files: new Map(files) })
        return checkpoint
      }
      return Checkpoints.of({
        begin: () => Effect.void,
        save: ({ seq, session, why }) => Effect.sync(() => add(session, seq, why)),
        list: (session) => Effect.sync(() => checkpoints.map(({ checkpoint }) => checkpoint).filter((one) => one.session === session)),
        changes: Effect.fnUntraced(function*(from, to) {
          return changes(yield* find(from), yield* find(to))
        }),
        diff: Effect.fnUntraced(function*(from, to) {
          const before = yield* find(from)
          const after = to === undefined ? files : yield* find(to)
          const diffs = changes(before, after).map((change) => ({
            change,
            patch: diff.print(change.path, text(before, change.path), text(after, change.path))
          }))
          const countedChanges = diffs.map(({ change, patch }) => ({ ...change, added: count(patch, "+"), removed: count(patch, "-") }))
          return { patch: diffs.map(({ patch }) => patch).join(""), changes: countedChanges, counts: countChanges(countedChanges) }
        }),
        preview: (id) => Effect.map(find(id), (savedFiles) => changes(files, savedFiles)),
        restore: Effect.fnUntraced(function*(id, { remove, seq, session }) {
          const savedFiles = yield* find(id)
          const { id: before } = add(session, seq, `before going back to ${id}`)
          const appliedChanges = changes(files, savedFiles).filter(({ kind, path }) => kind !== "deleted" || remove.includes(path))
          for (const { path } of appliedChanges) {
            const bytes = savedFiles.get(path)
            if (bytes === undefined) files.delete(path)
            else files.set(path, bytes)
          }
          return { before, changes: appliedChanges }
        }),
        adopt: () => Effect.void,
        forget: () => Effect.void
      })
    })
  )
