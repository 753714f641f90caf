/** A workspace in memory that keeps the contract of the real one: for tests, and for programs without a disk. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { createHash } from "node:crypto"
import picomatch from "picomatch/posix.js"
import * as Glob from "../../domain/workspace/Glob.ts"
import * as Encoding from "../../domain/workspace/Encoding.ts"
import { FileError, type FileReason } from "../../domain/workspace/FileError.ts"
import * as PathName from "../../domain/workspace/PathName.ts"
import * as Root from "../../domain/workspace/Root.ts"
import { type FileInfo, type SearchResult, Workspace } from "../../services/Workspace.ts"

/** Files by their path relative to the root; a folder is there when a file is in it. */
export type Files = Map<string, Uint8Array>

/** Text files to begin with. */
export const files = (texts: Readonly<Record<string, string>>): Files =>
  new Map(Object.entries(texts).map(([path, text]) => [path, encoder.encode(text)]))

/** The workspace over `files`, which it changes in place; `root` is where paths are relative to. */
export const layer = (files: Files, root = "/workspace"): Layer.Layer<Workspace> =>
  Layer.sync(Workspace, () => make(files, root))

const encoder = new TextEncoder()

const make = (files: Files, root: string): Workspace["Service"] => {
  const fail = (path: string, reason: FileReason, message: string, near: ReadonlyArray<string> = []) =>
    Effect.fail(new FileError({ path, reason, message, ...(near.length === 0 ? {} : { near }) }))

  const isFolder = (name: string): boolean => name === "." || [...files.keys()].some((path) => path.startsWith(`${name}/`))

  /** The name of a path inside the root; what lies outside fails. */
  const locate = (path: string): Effect.Effect<string, FileError> => {
    const refused = Root.refusal(path)
    if (refused !== undefined) return fail(path, "Other", refused)
    const name = PathName.of(root, path)
    return name.startsWith("/") ? fail(path, "Outside", "It lies outside the workspace.") : Effect.succeed(name)
  }

  const readBytes = Effect.fnUntraced(function*(path: string) {
    const name = yield* locate(path)
    const bytes = files.get(name)
    if (bytes !== undefined) return bytes
    if (isFolder(name)) return yield* fail(path, "IsDirectory", "It is a folder.")
    return yield* fail(path, "NotFound", "There is no such file.", near(files, name))
  })

  const readText = Effect.fnUntraced(function*(path: string) {
    const bytes = yield* readBytes(path)
    const decoded = Encoding.decode(bytes)
    if (Result.isFailure(decoded)) return yield* fail(path, decoded.failure.reason, decoded.failure.message)
    return { ...decoded.success, hash: hashOf(bytes) }
  })

  const locateForChange = (path: string) =>
    Effect.filterOrElse(locate(path), (name) => !Root.isProtected(name), () => fail(path, "Protected", "A repository's own files are not changed."))

  const infos = (folder: string): ReadonlyArray<FileInfo> => {
    const inside = folder === "." ? "" : `${folder}/`
    const found = new Map<string, FileInfo>()
    for (const [path, bytes] of files) {
      if (!path.startsWith(inside)) continue
      const names = path.slice(inside.length).split("/")
      for (const [i] of names.entries()) {
        const at = inside + names.slice(0, i + 1).join("/")
        const isFile = i === names.length - 1
        found.set(at, { path: at, kind: isFile ? "file" : "directory", size: isFile ? bytes.length : 0 })
      }
    }
    const depth = (path: string) => path.split("/").length
    return [...found.values()].sort((a, b) => depth(a.path) - depth(b.path) || (a.path < b.path ? -1 : 1))
  }

  return Workspace.of({
    roots: [root],
    resolve: (path) => Effect.succeed(path.startsWith("/") ? path : path === "." ? root : `${root}/${path}`),
    stat: Effect.fnUntraced(function*(path) {
      const name = yield* locate(path)
      const bytes = files.get(name)
      if (bytes !== undefined) return { path: name, kind: "file", size: bytes.length }
      if (isFolder(name)) return { path: name, kind: "directory", size: 0 }
      return yield* fail(path, "NotFound", "There is no such file.", near(files, name))
    }),
    readText,
    readBytes,
    writeText: Effect.fnUntraced(function*(path, text, encoding = "utf-8") {
      const name = yield* locateForChange(path)
      if (isFolder(name)) return yield* fail(path, "IsDirectory", "It is a folder.")
      const parent = name.split("/").slice(0, -1).map((_, i, names) => names.slice(0, i + 1).join("/")).find((one) => files.has(one))
      if (parent !== undefined) return yield* fail(path, "NotDirectory", `${parent} is a file, not a folder.`)
      const bytes = Encoding.encode(text, encoding)
      if (bytes === undefined) return yield* fail(path, "NotText", `It can't be written as ${encoding}.`)
      files.set(name, bytes)
      return hashOf(bytes)
    }),
    remove: Effect.fnUntraced(function*(path) {
      const name = yield* locateForChange(path)
      if (!files.delete(name)) return yield* fail(path, "NotFound", "There is no such file.", near(files, name))
    }),
    move: Effect.fnUntraced(function*(path, to) {
      const from = yield* locateForChange(path)
      const name = yield* locateForChange(to)
      const bytes = files.get(from)
      if (bytes === undefined) return yield* fail(path, "NotFound", "There is no such file.", near(files, from))
      if (files.has(name) || isFolder(name)) return yield* fail(to, "Exists", "It exists already.")
      files.set(name, bytes)
      files.delete(from)
    }),
    // A folder is there only while a file is in it.
    removeFolder: () => Effect.void,
    list: Effect.fnUntraced(function*(path, { depth, limit }) {
      const name = yield* locate(path)
      if (files.has(name)) return yield* fail(path, "NotDirectory", "It is a file, not a folder.")
      if (!isFolder(name)) return yield* fail(path, "NotFound", "There is no such folder.", near(files, name))
      const base = name === "." ? 0 : name.split("/").length
      const all = infos(name).filter((info) => info.path.split("/").length - base <= depth)
      return { entries: all.slice(0, limit), cut: all.length > limit }
    }),
    names: (most) => Effect.sync(() => infos(".").slice(0, most).map(({ kind, path }) => kind === "directory" ? `${path}/` : path)),
    search: Effect.fnUntraced(function*(path, regex, { context, files: glob, limit }) {
      const name = yield* locate(path)
      if (!files.has(name) && !isFolder(name)) return yield* fail(path, "NotFound", "There is no such file.", near(files, name))
      const pattern = yield* Effect.try({
        try: () => new RegExp(regex, "u"),
        catch: () => new FileError({ path, reason: "BadPattern", message: `${regex} is not a regular expression.` })
      })
      const wanted = glob === undefined ? () => true : picomatch(Glob.finite(glob), { dot: true, basename: !glob.includes("/") })
      const texts = [...files].filter(([file]) => (name === "." || file === name || file.startsWith(`${name}/`)) && wanted(file)).sort(([a], [b]) => a < b ? -1 : 1)
      return hits(texts, pattern, context, limit)
    })
  })
}

/** Matching lines with those around them, until `limit` lines have matched. */
const hits = (texts: ReadonlyArray<readonly [string, Uint8Array]>, pattern: RegExp, context: number, limit: number): SearchResult => {
  const found: Array<SearchResult["hits"][number]> = []
  let matches = 0
  for (const [path, bytes] of texts) {
    const text = Result.getOrUndefined(Encoding.decode(bytes))?.text ?? ""
    const lines = text.replace(/\r?\n$/, "").split(/\r?\n/)
    const matching = lines.flatMap((line, i) => pattern.test(line) ? [i] : [])
    const taken = new Set(matching.slice(0, limit - matches))
    const shown = (at: number) => [...taken].some((one) => Math.abs(one - at) <= context)
    found.push(...lines.flatMap((text, i) => shown(i) ? [{ path, line: i + 1, text, match: taken.has(i) }] : []))
    matches += taken.size
    if (taken.size < matching.length) return { hits: found, cut: true }
  }
  return { hits: found, cut: false }
}

const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** Files beside it, and of the same name elsewhere. */
const near = (files: Files, name: string): ReadonlyArray<string> => {
  const [, folder = "", last = ""] = /^(.*?)([^/]*)$/s.exec(name) ?? []
  return [...files.keys()].filter((path) => path.endsWith(`/${last}`) || (path.startsWith(folder) && !path.slice(folder.length).includes("/"))).slice(0, 5)
}
