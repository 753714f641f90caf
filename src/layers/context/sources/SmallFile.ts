/**
 * Files of a repository that we did not choose: read only when they are files, and small; read again only when they
 * have changed, for they are looked at before every request.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

/** What a path names; what is neither a file nor a folder (a pipe, a device) is never opened and counts as missing. */
export type SmallFile =
  /** `real` is the file's path with all links followed. */
  | { readonly _tag: "Text"; readonly text: string; readonly real: string }
  | { readonly _tag: "Folder" }
  | { readonly _tag: "TooLarge"; readonly bytes: number }
  | { readonly _tag: "Missing" }

export class SmallFiles extends Context.Service<SmallFiles, {
  /** Links are followed; what can't be read is missing. `largest` in bytes. */
  readonly read: (path: string, largest?: number) => Effect.Effect<SmallFile>
  /** The names in a folder; none where there is no folder. */
  readonly names: (folder: string) => Effect.Effect<ReadonlySet<string>>
  /** The path with all links followed, or as it is. */
  readonly realPath: (path: string) => Effect.Effect<string>
}>()("dacapo/context/SmallFiles") {}

interface Known {
  readonly stamp: string
  readonly text: string
  readonly real: string
}

/** Files that are remembered; a session looks at a few dozen. */
const most = 500

export const layer: Layer.Layer<SmallFiles, never, FileSystem.FileSystem> = Layer.effect(SmallFiles, Effect.gen(function*() {
  const files = yield* FileSystem.FileSystem
  const known = new Map<string, Known>()

  const read = (path: string, largest = 1024 * 1024): Effect.Effect<SmallFile> =>
    Effect.gen(function*() {
      const { dev, ino, mtime, size, type } = yield* files.stat(path)
      if (type === "Directory") return { _tag: "Folder" } as const
      if (type !== "File") return { _tag: "Missing" } as const
      if (Number(size) > largest) return { _tag: "TooLarge", bytes: Number(size) } as const
      const stamp = `${dev} ${Option.getOrElse(ino, () => 0)} ${Option.match(mtime, { onNone: () => 0, onSome: (time) => time.getTime() })} ${size}`
      const before = known.get(path)
      if (before?.stamp === stamp) return { _tag: "Text", text: before.text, real: before.real } as const
      const text = yield* files.readFileString(path)
      const real = yield* files.realPath(path)
      if (known.size >= most) known.clear()
      known.set(path, { stamp, text, real })
      return { _tag: "Text", text, real } as const
    }).pipe(Effect.orElseSucceed(() => ({ _tag: "Missing" }) as const))

  return SmallFiles.of({
    read,
    names: (folder) => files.readDirectory(folder).pipe(Effect.map((names) => new Set(names)), Effect.orElseSucceed(() => new Set<string>())),
    realPath: (path) => Effect.orElseSucceed(files.realPath(path), () => path)
  })
}))
