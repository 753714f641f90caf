/** Checkpoints of a workspace in memory: whole copies, named by their number. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Change, type Checkpoint, CheckpointError } from "../../domain/workspace/Checkpoint.ts"
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
    return Checkpoints.of({
      save: ({ seq, session, why }) =>
        Effect.sync(() => {
          const counts = { files: changes(kept.at(-1)?.files ?? files, files).length, added: 0, removed: 0 }
          const checkpoint = { id: `checkpoint-${kept.length + 1}`, session, seq, time: 0, why, branch: null, head: null, counts }
          kept.push({ checkpoint, files: new Map(files) })
          return checkpoint
        }),
      list: (session) => Effect.sync(() => kept.map(({ checkpoint }) => checkpoint).filter((one) => one.session === session)),
      diff: Effect.fnUntraced(function*(from, to) {
        const before = yield* find(from)
        const after = to === undefined ? files : yield* find(to)
        const changed = changes(before, after)
        return { changes: changed, patch: changed.map(({ path }) => diff.print(path, text(before, path), text(after, path))).join("") }
      }),
      preview: (id) => Effect.map(find(id), (saved) => changes(files, saved)),
      restore: Effect.fnUntraced(function*(id, { remove }) {
        const saved = yield* find(id)
        const made = changes(files, saved).filter(({ kind, path }) => kind !== "deleted" || remove.includes(path))
        for (const { path } of made) {
          const bytes = saved.get(path)
          if (bytes === undefined) files.delete(path)
          else files.set(path, bytes)
        }
        return made
      })
    })
  }))
