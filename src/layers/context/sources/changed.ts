/**
 * Files that someone else changed since this session saw them. They are looked at before each request, so that what is
 * told is what is: a file is hashed only when its time or size is another than when it was last found the same.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Layer from "effect/Layer"
import * as Context from "effect/Context"
import { createHash } from "node:crypto"
import type { Changed } from "../../../domain/session/SessionEvent.ts"
import { define } from "../../../services/Source.ts"

/** Bytes beyond which a file is judged by its time alone, and files that are looked at side by side. */
const limits = { bytes: 8 * 1024 * 1024, concurrency: 16 }

/** What files are now. */
export class FileHashes extends Context.Service<FileHashes, {
  /** SHA-256 of an absolute path's content; null where there is no file, undefined where it can't be told. */
  readonly of: (path: string) => Effect.Effect<string | null | undefined>
}>()("dacapo/context/FileHashes") {}

export const layer: Layer.Layer<FileHashes, never, FileSystem.FileSystem> = Layer.effect(FileHashes, Effect.gen(function*() {
  const files = yield* FileSystem.FileSystem
  const known = new Map<string, { readonly stamp: string; readonly hash: string }>()
  return FileHashes.of({
    of: (path) =>
      Effect.gen(function*() {
        const { ino, mtime, size, type } = yield* files.stat(path)
        if (type !== "File" || Number(size) > limits.bytes) return undefined
        const stamp = `${Option.getOrElse(ino, () => 0)} ${Option.match(mtime, { onNone: () => 0, onSome: (time) => time.getTime() })} ${size}`
        const before = known.get(path)
        if (before?.stamp === stamp) return before.hash
        const hash = createHash("sha256").update(yield* files.readFile(path)).digest("hex")
        known.set(path, { stamp, hash })
        return hash
      }).pipe(Effect.catch((error) => Effect.succeed(error.reason._tag === "NotFound" ? null : undefined)))
  })
}))

export const changed = define({
  name: "changed",
  fixed: false,
  gather: Effect.fn("changed")(function*({ cwd, files }) {
    if (files.size === 0) return {}
    const hashes = yield* FileHashes
    const found = yield* Effect.forEach(files, ([path, seen]) =>
      Effect.map(hashes.of(path.startsWith("/") ? path : `${cwd}/${path}`), (now): ReadonlyArray<Changed> =>
        now === undefined || now === seen ? [] : [{ path, kind: now === null ? "deleted" : "modified", hash: now }]), { concurrency: limits.concurrency })
    return { changed: found.flat() }
  })
})
