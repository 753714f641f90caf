/** The workspace on the local file system. Each concern has its file: PathGuard, FollowLinks, AtomicWrite, WalkFiles, FindText. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { lstatSync, type Stats } from "node:fs"
import * as fs from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { distance } from "fastest-levenshtein"
import * as Encoding from "../../../domain/workspace/Encoding.ts"
import type { FileError } from "../../../domain/workspace/FileError.ts"
import { Environment } from "../../../services/Environment.ts"
import { type FileInfo, type Reader, SuggestNames, Workspace } from "../../../services/Workspace.ts"
import * as AtomicWrite from "./AtomicWrite.ts"
import * as PathGuard from "./PathGuard.ts"
import * as FileFailure from "./FileFailure.ts"
import * as FolderCheck from "./FolderCheck.ts"
import * as FollowLinks from "./FollowLinks.ts"
import * as MoveFile from "./MoveFile.ts"
import * as Programs from "../Programs.ts"
import * as Ripgrep from "./Ripgrep.ts"
import * as SearchText from "./FindText.ts"
import * as TrackedFiles from "../git/TrackedFiles.ts"
import * as WalkFiles from "./WalkFiles.ts"
import { sha256 } from "../../storage/Digest.ts"

/** The maximum number of bytes to read at once; larger files are for a command. */
const maxBytes = 32 * 1024 * 1024

/** The maximum size of files that are read at once: larger ones would keep the process from other work. */
const maxSmallBytes = 128 * 1024

/** The number of files whose hash is cached. */
const maxHashes = 10_000

/**
 * `roots` come from the user: the session's folder, and those added by flag. `ripgrep` is the program that speeds up
 * searches: located by default, null for none. `hidden` are folders of which nothing is read outside the roots, whoever approves it.
 */
export interface Options {
  readonly roots: readonly [string, ...ReadonlyArray<string>]
  readonly ripgrep?: string | null
  readonly hidden?: ReadonlyArray<string>
}

/** Fails if a root is not the absolute path of a folder that can be read. */
export const layer = (options: Options): Layer.Layer<Workspace, FileError, Environment> => Layer.effect(Workspace, make(options))

const make = Effect.fnUntraced(function*(options: Options) {
  const environment = yield* Environment
  const searchPath = Programs.searchPath(environment, options.roots)
  const ripgrep = yield* Effect.cached(
    Effect.sync(() =>
      options.ripgrep === undefined ? Ripgrep.find({ path: searchPath, platform: environment.platform }) : options.ripgrep ?? undefined
    )
  )
  yield* Effect.forEach(options.roots, checkRoot)
  const roots = yield* attempt(options.roots[0]!, () => PathGuard.roots(options.roots))
  const readWithin = reader(ripgrep)
  const suggestNearby = nearbySuggestion(roots)

  /** The hashes of files, by their real paths, as of the last time they were read. */
  const hashes = new Map<string, { readonly version: string; readonly hash: string }>()

  return Workspace.of({
    ...readWithin(roots),
    roots: roots.lexical,
    outside: (approved) => readWithin(PathGuard.withPlaces(roots, approved, options.hidden)),

    resolve: (path) => attempt(path, () => PathGuard.realPathOf(roots, path)),

    follow: (lookup, worth) =>
      (lookup.tree?.tracked === undefined ? Effect.succeed([]) : TrackedFiles.files(searchPath, lookup.path, lookup.tree.tracked)).pipe(
        Effect.flatMap((tracked) => Effect.promise((signal) => FollowLinks.follow(roots, lookup, worth, tracked, signal))),
        Effect.orElseSucceed(() => null)
      ),

    hash: (path) =>
      attempt(path, async () => {
        const location = await PathGuard.locate(roots, path)
        const version = versionOf(lstatSync(location.real))
        const cacheEntry = hashes.get(location.real)
        if (cacheEntry?.version === version) return cacheEntry.hash
        const cache = (bytes: Uint8Array, stat: Stats): string => {
          const hash = sha256(bytes)
          if (hashes.size >= maxHashes) hashes.clear()
          hashes.set(location.real, { version: versionOf(stat), hash })
          return hash
        }
        const small = PathGuard.readSmall(roots, location, maxSmallBytes)
        if (small !== undefined) return cache(small.bytes, small.stat)
        const { file, stat } = await PathGuard.openFile(roots, location)
        try {
          if (stat.size > maxBytes) throw tooLarge(path, stat.size)
          return cache(await readAll(path, file), stat)
        } finally {
          await file.close()
        }
      }),

    // Uninterruptible: a caller that is told "interrupted" may not find the file changed a moment later.
    writeText: (path, text, encoding = "utf-8") =>
      attempt(path, async () => {
        const bytes = Encoding.encode(text, encoding)
        if (bytes === undefined) throw FileFailure.fail(path, "NotText", `The text contains characters that ${encoding} can't represent.`)
        await AtomicWrite.write(roots, await PathGuard.locateForChange(roots, path), bytes)
        return sha256(bytes)
      }).pipe(Effect.uninterruptible),

    remove: (path) =>
      attempt(path, async () => {
        const location = await PathGuard.locateEntry(roots, path)
        await PathGuard.inFolder(roots, { path, real: dirname(location.real) }, async (prefix, folder) => {
          const entry = join(prefix, basename(location.real))
          if ((await fs.lstat(entry)).isDirectory()) throw FileFailure.fail(path, "IsDirectory", "It is a folder.")
          await fs.unlink(entry)
          await folder.sync()
        })
      }).pipe(Effect.uninterruptible, Effect.catch(suggestNearby)),

    move: (path, to) => attempt(path, () => MoveFile.move(roots, path, to)).pipe(Effect.uninterruptible, Effect.catch(suggestNearby)),

    removeFolder: (path) =>
      attempt(path, async () => {
        const { real } = await PathGuard.locateEntry(roots, path)
        await PathGuard.inFolder(roots, { path, real: dirname(real) }, (prefix) => fs.rmdir(join(prefix, basename(real))))
      }).pipe(Effect.uninterruptible),

    names: (maxNames) =>
      attempt(".", async (signal) => WalkFiles.names(await folderAt(roots, "."), maxNames, signal)).pipe(Effect.orElseSucceed(() => []))
  })
})

/** Reads files within roots. */
const reader = (ripgrep: Effect.Effect<string | undefined>) => (roots: PathGuard.Roots): Reader => {
  const suggestNearby = nearbySuggestion(roots)
  const readBytes = (path: string) =>
    attempt(path, async () => {
      const location = await PathGuard.locate(roots, path)
      const small = PathGuard.readSmall(roots, location, maxSmallBytes)
      if (small !== undefined) return small.bytes
      const { file, stat } = await PathGuard.openFile(roots, location)
      try {
        if (stat.size > maxBytes) throw tooLarge(path, stat.size)
        return await readAll(path, file)
      } finally {
        await file.close()
      }
    }).pipe(Effect.catch(suggestNearby))
  return {
    stat: (path) =>
      attempt(path, async (): Promise<FileInfo> => {
        const { real } = await PathGuard.locate(roots, path)
        const stat = lstatSync(real)
        const kind = stat.isFile() ? "file" : stat.isDirectory() ? "directory" : stat.isSymbolicLink() ? "link" : "other"
        return { path: PathGuard.displayPath(roots, real), kind, size: stat.size, modified: stat.mtimeMs, version: versionOf(stat) }
      }).pipe(Effect.catch(suggestNearby)),

    readBytes,

    readText: (path) =>
      Effect.flatMap(readBytes(path), (bytes) =>
        Result.match(Encoding.decode(bytes), {
          onFailure: ({ message, reason }) => Effect.fail(FileFailure.fail(path, reason, message)),
          onSuccess: (decoded) => Effect.succeed({ ...decoded, hash: sha256(bytes) })
        })),

    list: (path, limits) =>
      attempt(path, async (signal) => WalkFiles.list(roots, await folderAt(roots, path), limits, signal)).pipe(Effect.catch(suggestNearby)),

    search: (path, regex, options) =>
      Effect.flatMap(ripgrep, (program) => SearchText.search(roots, program, path, regex, options)).pipe(Effect.catch(suggestNearby))
  }
}

/** Suggests names close to a missing path, so that the next attempt succeeds. */
const nearbySuggestion = (roots: PathGuard.Roots) =>
  Effect.fnUntraced(function*(error: FileError) {
    if (error.reason !== "NotFound" || !(yield* SuggestNames)) return yield* error
    const names = yield* Effect.promise(() => nearbyPaths(roots, error.path))
    return yield* FileFailure.fail(error.path, error.reason, error.message, names)
  })

const folderAt = async (roots: PathGuard.Roots, path: string): Promise<WalkFiles.Folder> => {
  const location = await PathGuard.locate(roots, path)
  PathGuard.checkFolder(roots, location)
  return WalkFiles.enter(location.root, location.real)
}

const checkRoot = (root: string) =>
  Effect.flatMap(
    Effect.promise(() => FolderCheck.problem(root)),
    (message) => message === undefined ? Effect.void : Effect.fail(FileFailure.fail(root, "NotDirectory", message))
  )

const attempt = <A>(path: string, run: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, FileError> =>
  Effect.tryPromise({ try: run, catch: FileFailure.from(path) })

/** A file may grow while it is read: the limit applies to what is read, not to the reported size. */
const readAll = async (path: string, file: fs.FileHandle): Promise<Uint8Array> => {
  const pieces: Array<Uint8Array> = []
  let total = 0
  for (;;) {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.allocUnsafe(64 * 1024) })
    if (bytesRead === 0) return Buffer.concat(pieces, total)
    total += bytesRead
    if (total > maxBytes) throw tooLarge(path, total)
    pieces.push(buffer.subarray(0, bytesRead))
  }
}

const versionOf = ({ dev, ino, mtimeMs, size }: Stats): string => `${dev} ${ino} ${mtimeMs} ${size}`

const tooLarge = (path: string, size: number) => FileFailure.fail(path, "TooLarge", `It has ${size} bytes; the limit is ${maxBytes}.`)

/** Up to three entries of the deepest existing folder whose names are close to the missing one. */
const nearbyPaths = async (roots: PathGuard.Roots, path: string): Promise<ReadonlyArray<string>> => {
  try {
    const { real, root } = await PathGuard.locate(roots, path)
    if (real === root) return []
    let folder = dirname(real)
    let missingName = basename(real)
    while (folder !== root && lstatSync(folder, { throwIfNoEntry: false }) === undefined) {
      missingName = basename(folder)
      folder = dirname(folder)
    }
    const entries = WalkFiles.entries(WalkFiles.enter(root, folder))
    return entries
      .map(({ name, path }) => ({
        path: PathGuard.displayPath(roots, join(root, path)),
        editDistance: distance(name.toLowerCase(), missingName.toLowerCase())
      }))
      .filter(({ editDistance }) => editDistance <= Math.max(2, missingName.length / 3))
      .sort((a, b) => a.editDistance - b.editDistance)
      .slice(0, 3)
      .map(({ path }) => path)
  } catch {
    return []
  }
}
