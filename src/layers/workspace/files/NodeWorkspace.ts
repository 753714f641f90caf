/** The workspace on the local file system. Each idea has its file: Confine, AtomicWrite, Walk, Search. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { createHash } from "node:crypto"
import * as fs from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { distance } from "fastest-levenshtein"
import * as Encoding from "../../../domain/workspace/Encoding.ts"
import type { FileError } from "../../../domain/workspace/FileError.ts"
import { Environment } from "../../../services/Environment.ts"
import { type FileInfo, Workspace } from "../../../services/Workspace.ts"
import * as AtomicWrite from "./AtomicWrite.ts"
import * as Confine from "./PathGuard.ts"
import * as FileFailure from "./FileFailure.ts"
import * as Move from "./MoveFile.ts"
import * as Ripgrep from "./Ripgrep.ts"
import * as Search from "./FindText.ts"
import * as Walk from "./WalkFiles.ts"

/** Bytes that are read at once; what is larger is for a command. */
const largest = 32 * 1024 * 1024

/**
 * `roots` come from the user: the folder of the session, and those added by flag. `ripgrep` is the program that
 * speeds up searches: looked for unless it is said, null for none.
 */
export interface Options {
  readonly roots: readonly [string, ...ReadonlyArray<string>]
  readonly ripgrep?: string | null
}

/** Fails when a root can't be reached. */
export const layer = (options: Options): Layer.Layer<Workspace, FileError, Environment> => Layer.effect(Workspace, make(options))

const make = Effect.fnUntraced(function*(options: Options) {
  const { platform, variables } = yield* Environment
  const ripgrep = yield* Effect.cached(Effect.sync(() =>
    options.ripgrep === undefined ? Ripgrep.find({ path: variables["PATH"] ?? "", platform }) : options.ripgrep ?? undefined
  ))
  const roots = yield* attempt(options.roots[0]!, () => Confine.roots(options.roots))

  /** Names what is close to a missing path, so that the next try finds it. */
  const nameNear = (error: FileError) =>
    error.reason === "NotFound"
      ? Effect.flatMap(
        Effect.promise(() => near(roots, error.path)),
        (names) => Effect.fail(FileFailure.fail(error.path, error.reason, error.message, names))
      )
      : Effect.fail(error)

  const read = (path: string) =>
    attempt(path, async () => {
      const { file, stat } = await Confine.openFile(roots, await Confine.locate(roots, path))
      try {
        if (stat.size > largest) throw tooLarge(path, stat.size)
        return await readAll(path, file)
      } finally {
        await file.close()
      }
    }).pipe(Effect.catch(nameNear))

  return Workspace.of({
    roots: roots.given,

    resolve: (path) => attempt(path, () => Confine.leads(roots, path)),

    stat: (path) =>
      attempt(path, async (): Promise<FileInfo> => {
        const { real } = await Confine.locate(roots, path)
        const stat = await fs.lstat(real)
        const kind = stat.isFile() ? "file" : stat.isDirectory() ? "directory" : stat.isSymbolicLink() ? "link" : "other"
        return { path: Confine.shown(roots, real), kind, size: stat.size }
      }).pipe(Effect.catch(nameNear)),

    readBytes: read,

    readText: (path) =>
      Effect.flatMap(read(path), (bytes) =>
        Result.match(Encoding.decode(bytes), {
          onFailure: ({ message, reason }) => Effect.fail(FileFailure.fail(path, reason, message)),
          onSuccess: (decoded) => Effect.succeed({ ...decoded, hash: sha256(bytes) })
        })),

    // Not to be interrupted: a caller that is told "interrupted" may not find the file changed a moment later.
    writeText: (path, text, encoding = "utf-8") =>
      attempt(path, async () => {
        const bytes = Encoding.encode(text, encoding)
        if (bytes === undefined) throw FileFailure.fail(path, "NotText", `The text holds characters that ${encoding} does not have.`)
        await AtomicWrite.write(roots, await Confine.locateForChange(roots, path), bytes)
        return sha256(bytes)
      }).pipe(Effect.uninterruptible),

    remove: (path) =>
      attempt(path, async () => {
        const place = await Confine.locateEntry(roots, path)
        await Confine.inFolder(roots, { path, real: dirname(place.real) }, async (prefix, folder) => {
          const entry = join(prefix, basename(place.real))
          if ((await fs.lstat(entry)).isDirectory()) throw FileFailure.fail(path, "IsDirectory", "It is a folder.")
          await fs.unlink(entry)
          await folder.sync()
        })
      }).pipe(Effect.uninterruptible, Effect.catch(nameNear)),

    move: (path, to) => attempt(path, () => Move.move(roots, path, to)).pipe(Effect.uninterruptible, Effect.catch(nameNear)),

    removeFolder: (path) =>
      attempt(path, async () => {
        const { real } = await Confine.locateEntry(roots, path)
        await Confine.inFolder(roots, { path, real: dirname(real) }, (prefix) => fs.rmdir(join(prefix, basename(real))))
      }).pipe(Effect.uninterruptible),

    list: (path, limits) =>
      attempt(path, async (signal) => Walk.list(roots, await folderAt(roots, path), limits, signal)).pipe(Effect.catch(nameNear)),

    names: (most) =>
      attempt(".", async (signal) => Walk.names(await folderAt(roots, "."), most, signal)).pipe(Effect.orElseSucceed(() => [])),

    search: (path, regex, options) =>
      Effect.flatMap(ripgrep, (program) =>
        attempt(path, (signal) => Search.search(roots, program, path, regex, options, signal)).pipe(Effect.catch(nameNear)))
  })
})

const folderAt = async (roots: Confine.Roots, path: string): Promise<Walk.Folder> => {
  const place = await Confine.locate(roots, path)
  return Confine.inFolder(roots, place, async () => Walk.enter(place.root, place.real))
}

const attempt = <A>(path: string, run: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, FileError> =>
  Effect.tryPromise({ try: run, catch: FileFailure.from(path) })

/** A file may grow while it is read: the bound holds for what is read, not for what was promised. */
const readAll = async (path: string, file: fs.FileHandle): Promise<Uint8Array> => {
  const pieces: Array<Uint8Array> = []
  let total = 0
  for (;;) {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.allocUnsafe(64 * 1024) })
    if (bytesRead === 0) return Buffer.concat(pieces, total)
    total += bytesRead
    if (total > largest) throw tooLarge(path, total)
    pieces.push(buffer.subarray(0, bytesRead))
  }
}

const tooLarge = (path: string, size: number) =>
  FileFailure.fail(path, "TooLarge", `It has ${size} bytes; at most ${largest} are read.`)

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** Up to three entries of the deepest folder that exists whose names are close to the missing one. */
const near = async (roots: Confine.Roots, path: string): Promise<ReadonlyArray<string>> => {
  try {
    const { real, root } = await Confine.locate(roots, path)
    let folder = dirname(real)
    let missing = basename(real)
    while (folder !== root && await fs.lstat(folder).then(() => false, () => true)) {
      missing = basename(folder)
      folder = dirname(folder)
    }
    const there = Walk.entries(Walk.enter(root, folder))
    return there
      .map(({ name, path }) => ({ path: Confine.shown(roots, join(root, path)), far: distance(name.toLowerCase(), missing.toLowerCase()) }))
      .filter(({ far }) => far <= Math.max(2, missing.length / 3))
      .sort((a, b) => a.far - b.far)
      .slice(0, 3)
      .map(({ path }) => path)
  } catch {
    return []
  }
}
