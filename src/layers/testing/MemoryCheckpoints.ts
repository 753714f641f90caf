/** Checkpoints of a workspace in memory: whole copies, named by their number. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Change, type Checkpoint, CheckpointError, sum } from "../../domain/workspace/Checkpoint.ts"
import { Checkpoints } from "../../services/Checkpoints.ts"
import { Diff } from "../../services/Diff.ts"
import type { Files } from "./MemoryWorkspace.ts"

interface Kept {
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

/** Lines of a unified diff that begin with a mark, its headers aside. */
const count = (patch: string, mark: "+" | "-"): number =>
  patch.split("\n").filter((line) => line.startsWith(mark) && !line.startsWith(mark.repeat(3))).length

/** Checkpoints of these files, kept in memory. */
export const layer = (files: Files): Layer.Layer<Checkpoints, never, Diff> =>
  Layer.effect(Checkpoints, Effect.gen(function*() {
    const diff = yield* Diff
    const kept: Array<Kept> = []
    const find = (id: string) =>
      Effect.suspend(() => {
        const found = kept.find(({ checkpoint }) => checkpoint.id === id)
        return found === undefined
          ? Effect.fail(new CheckpointError({ reason: "NotFound", message: `There is no checkpoint ${id}.` }))
          : Effect.succeed(found.files)
      })
    const add = (session: string, seq: number, why: string): Checkpoint => {
      const counts = { files: changes(kept.at(-1)?.files ?? files, files).length, added: 0, removed: 0 }
      const checkpoint = { id: `checkpoint-${kept.length + 1}`, session, seq, time: 0, why, branch: null, head: null, counts }
      kept.push({ checkpoint, files: new Map(files) })
      return checkpoint
    }
    return Checkpoints.of({
      begin: () => Effect.void,
      save: ({ seq, session, why }) =>
        Effect.sync(() => add(session, seq, why)),
      list: (session) => Effect.sync(() => kept.map(({ checkpoint }) => checkpoint).filter((one) => one.session === session)),
      changes: Effect.fnUntraced(function*(from, to) {
        return changes(yield* find(from), yield* find(to))
      }),
      diff: Effect.fnUntraced(function*(from, to) {
        const before = yield* find(from)
        const after = to === undefined ? files : yield* find(to)
        const changed = changes(before, after).map((change) => ({ change, patch: diff.print(change.path, text(before, change.path), text(after, change.path)) }))
        const counted = changed.map(({ change, patch }) => ({ ...change, added: count(patch, "+"), removed: count(patch, "-") }))
        return { patch: changed.map(({ patch }) => patch).join(""), changes: counted, counts: sum(counted) }
      }),
      preview: (id) => Effect.map(find(id), (saved) => changes(files, saved)),
      restore: Effect.fnUntraced(function*(id, { remove, seq, session }) {
        const saved = yield* find(id)
        const { id: before } = add(session, seq, `before going back to ${id}`)
        const made = changes(files, saved).filter(({ kind, path }) => kind !== "deleted" || remove.includes(path))
        for (const { path } of made) {
          const bytes = saved.get(path)
          if (bytes === undefined) files.delete(path)
          else files.set(path, bytes)
        }
        return { before, changes: made }
      }),
      adopt: () => Effect.void,
      forget: () => Effect.void
    })
  }))
