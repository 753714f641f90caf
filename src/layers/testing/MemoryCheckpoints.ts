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

/** One file's part of a comparison. */
const compareFile = (from: Files, to: Files, path: string, print: Diff["Service"]["print"]) => {
  const patch = print(path, text(from, path), text(to, path))
  return { patch, added: count(patch, "+"), removed: count(patch, "-") }
}

/** A pack here is the JSON of all files, in base64. */
const packOf = (files: Files): Uint8Array =>
  new TextEncoder().encode(JSON.stringify([...files].map(([path, bytes]) => [path, Buffer.from(bytes).toString("base64")])))

/** Checkpoints of these files, in memory: those of a session are in its chain, and exist while one chain has them. */
export const layer = (files: Files): Layer.Layer<Checkpoints, never, Diff> =>
  Layer.effect(
    Checkpoints,
    Effect.map(Diff, ({ print }) => {
      const chains = new Map<string, ReadonlyArray<StoredCheckpoint>>()
      const chainOf = (session: string): ReadonlyArray<StoredCheckpoint> => chains.get(session) ?? []
      const isAt = (id: string) => ({ checkpoint }: StoredCheckpoint): boolean => checkpoint.id === id
      let saved = 0
      const notFound = (id: string) => new CheckpointError({ reason: "NotFound", message: `There is no checkpoint ${id}.` })
      const find = (id: string) =>
        Effect.suspend(() => {
          const match = [...chains.values()].flat().find(isAt(id))
          return match === undefined ? Effect.fail(notFound(id)) : Effect.succeed(match.files)
        })
      const compare = (before: Files, after: Files) => {
        const diffs = changes(before, after).map((change) => ({ change, ...compareFile(before, after, change.path, print) }))
        const countedChanges = diffs.map(({ added, change, removed }) => ({ ...change, added, removed }))
        return { patch: diffs.map(({ patch }) => patch).join(""), changes: countedChanges, counts: countChanges(countedChanges) }
      }
      const add = (session: string, seq: number, why: string): Checkpoint => {
        const chain = chainOf(session)
        const { counts } = compare(chain.at(-1)?.files ?? files, files)
        const checkpoint = { id: `checkpoint-${++saved}`, session, seq, time: 0, why, branch: null, head: null, counts }
        chains.set(session, [...chain, { checkpoint, files: new Map(files) }])
        return checkpoint
      }
      return Checkpoints.of({
        begin: () => Effect.void,
        save: ({ seq, session, store, why }) =>
          Effect.suspend(() => {
            const checkpoint = add(session, seq, why)
            return store === undefined ? Effect.succeed(checkpoint)
              : Effect.map(store.put(packOf(files)), (pack) => ({ ...checkpoint, pack }))
          }),
        list: (session) => Effect.sync(() => chainOf(session).map(({ checkpoint }) => checkpoint)),
        changes: Effect.fnUntraced(function*(from, to) {
          return changes(yield* find(from), yield* find(to))
        }),
        diff: Effect.fnUntraced(function*(from, to) {
          return compare(yield* find(from), to === undefined ? files : yield* find(to))
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
        adopt: (session, id) =>
          Effect.suspend(() => {
            const chain = [...chains.values()].find((chain) => chain.some(isAt(id)))
            if (chain === undefined) return Effect.fail(notFound(id))
            return Effect.sync(() => void chains.set(session, chain.slice(0, chain.findIndex(isAt(id)) + 1)))
          }),
        forget: (sessions) => Effect.sync(() => sessions.forEach((session) => chains.delete(session)))
      })
    })
  )
