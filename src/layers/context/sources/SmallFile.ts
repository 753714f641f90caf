/**
 * Repository files of unknown content: read only if they are regular files, small, and not closed to the session; read
 * again only when they have changed, since they are checked before every request.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Root from "../../../domain/workspace/Root.ts"
import { ReadPolicy } from "../../../services/ReadPolicy.ts"
import { SuggestNames, Workspace } from "../../../services/Workspace.ts"

/** What a path names; anything that is neither a file nor a folder (a pipe, a device) is never opened and counts as missing. */
export type SmallFile =
  /** `real` is the file's path with all links followed. */
  | { readonly _tag: "Text"; readonly text: string; readonly real: string }
  | { readonly _tag: "Folder" }
  | { readonly _tag: "TooLarge"; readonly bytes: number }
  /** Rules close it to the session; `why` is a sentence. */
  | { readonly _tag: "Closed"; readonly why: string }
  | { readonly _tag: "Missing" }

/** Reads the small files that become part of a request: rules, skills, commands. */
export class SmallFiles extends Context.Service<SmallFiles, {
  /** An absolute path; links are followed, and unreadable files count as missing. `maxBytes` limits the size. */
  readonly read: (path: string, maxBytes?: number) => Effect.Effect<SmallFile>
  /** The names in a folder; none if the folder does not exist. */
  readonly names: (folder: string) => Effect.Effect<ReadonlySet<string>>
  /** The path with all links followed, or as it is. */
  readonly realPath: (path: string) => Effect.Effect<string>
}>()("dacapo/context/SmallFiles") {}

/** Where files are: in the workspace, or on the user's machine, whose own settings are outside of it. */
interface Disk {
  readonly stat: (
    path: string
  ) => Effect.Effect<{ readonly kind: "file" | "directory" | "other"; readonly size: number; readonly version: string }, unknown>
  readonly text: (path: string) => Effect.Effect<string, unknown>
  readonly names: (folder: string) => Effect.Effect<ReadonlyArray<string>, unknown>
  readonly realPath: (path: string) => Effect.Effect<string, unknown>
}

const machineDisk = (files: FileSystem.FileSystem): Disk => ({
  stat: (path) =>
    Effect.map(files.stat(path), ({ dev, ino, mtime, size, type }) => ({
      kind: type === "File" ? "file" : type === "Directory" ? "directory" : "other",
      size: Number(size),
      version: `${dev} ${Option.getOrElse(ino, () => 0)} ${
        Option.match(mtime, { onNone: () => 0, onSome: (time) => time.getTime() })
      } ${size}`
    })),
  text: (path) => files.readFileString(path),
  names: (folder) => files.readDirectory(folder),
  realPath: (path) => files.realPath(path)
})

/** The maximum number of names read from a folder. */
const maxNames = 5_000

const workspaceDisk = (workspace: Workspace["Service"]): Disk => ({
  stat: (path) =>
    Effect.map(workspace.stat(path), ({ kind, size, version }) => ({ kind: kind === "link" ? "other" : kind, size, version })),
  text: (path) => Effect.map(workspace.readText(path), ({ text }) => text.replace(/^\ufeff/, "")),
  names: (folder) =>
    Effect.map(
      workspace.list(folder, { depth: 1, limit: maxNames, all: true }),
      ({ entries }) => entries.map(({ path }) => path.slice(path.lastIndexOf("/") + 1))
    ),
  realPath: workspace.resolve
})

interface CacheEntry {
  readonly version: string
  readonly text: string
}

/** The number of cached files; a session checks a few dozen. */
const maxEntries = 500

const make = (machine: Disk, workspace?: Workspace["Service"]): SmallFiles["Service"] => {
  const rootDisk = workspace === undefined ? machine : workspaceDisk(workspace)
  const cache = new Map<string, CacheEntry>()
  const diskOf = (path: string): Disk => workspace?.roots.some((root) => Root.contains(root, path)) === true ? rootDisk : machine
  const realPath = (path: string) => Effect.orElseSucceed(diskOf(path).realPath(path), () => path)

  const read = (path: string, maxBytes = 1024 * 1024): Effect.Effect<SmallFile> =>
    Effect.gen(function*() {
      // Most files are missing, and following the links of a path takes a call for each of its folders.
      if (diskOf(path) === machine) yield* machine.stat(path)
      const real = yield* diskOf(path).realPath(path)
      // A link may lead out of the workspace: whether that is permitted is up to the caller.
      const disk = diskOf(real)
      const diskPath = disk === diskOf(path) ? path : real
      const { kind, size, version } = yield* disk.stat(diskPath)
      if (kind === "directory") return { _tag: "Folder" } as const
      if (kind !== "file") return { _tag: "Missing" } as const
      const why = (yield* ReadPolicy).refusal(path, real)
      if (why !== undefined) return { _tag: "Closed", why } as const
      if (size > maxBytes) return { _tag: "TooLarge", bytes: size } as const
      const entry = cache.get(real)
      if (entry?.version === version) return { _tag: "Text", text: entry.text, real } as const
      const text = yield* disk.text(diskPath)
      if (cache.size >= maxEntries) cache.clear()
      cache.set(real, { version, text })
      return { _tag: "Text", text, real } as const
    }).pipe(Effect.provideService(SuggestNames, false), Effect.orElseSucceed(() => ({ _tag: "Missing" }) as const))

  return SmallFiles.of({
    read,
    names: (folder) =>
      diskOf(folder).names(folder).pipe(
        Effect.provideService(SuggestNames, false),
        Effect.orElseSucceed(() => []),
        Effect.map((names) => new Set(names))
      ),
    realPath
  })
}

/** Workspace files through it, others from the user's machine. */
export const layer: Layer.Layer<SmallFiles, never, FileSystem.FileSystem | Workspace> = Layer.effect(
  SmallFiles,
  Effect.gen(function*() {
    return make(machineDisk(yield* FileSystem.FileSystem), yield* Workspace)
  })
)

/** For use without a session, and so without an open workspace. */
export const layerMachine: Layer.Layer<SmallFiles, never, FileSystem.FileSystem> = Layer.effect(
  SmallFiles,
  Effect.map(FileSystem.FileSystem, (files) => make(machineDisk(files)))
)
