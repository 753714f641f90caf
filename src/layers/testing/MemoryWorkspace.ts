/** A workspace in memory with the contract of the real one: for tests, and for programs without a disk. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import picomatch from "picomatch/posix.js"
import * as Glob from "../../domain/workspace/Glob.ts"
import * as Ignore from "../../domain/workspace/Ignore.ts"
import * as Encoding from "../../domain/workspace/Encoding.ts"
import { FileError, type FileReason } from "../../domain/workspace/FileError.ts"
import * as Lookup from "../../domain/workspace/Lookup.ts"
import * as PathName from "../../domain/workspace/PathName.ts"
import * as Root from "../../domain/workspace/Root.ts"
import * as ShellPattern from "../../domain/workspace/ShellPattern.ts"
import { type FileInfo, type SearchResult, Workspace } from "../../services/Workspace.ts"
import { sha256 } from "../storage/Digest.ts"

/** Files by their path relative to the root; a folder exists while a file is in it. */
export type Files = Map<string, Uint8Array>

/** The initial text files. */
export const files = (texts: Readonly<Record<string, string>>): Files =>
  new Map(Object.entries(texts).map(([path, text]) => [path, encoder.encode(text)]))

/** The workspace over `files`, which it changes in place; `root` is where paths are relative to. */
export const layer = (files: Files, root = "/workspace"): Layer.Layer<Workspace> => Layer.sync(Workspace, () => make(files, root))

const encoder = new TextEncoder()

const make = (files: Files, root: string): Workspace["Service"] => {
  const fail = (path: string, reason: FileReason, message: string, near: ReadonlyArray<string> = []) =>
    Effect.fail(new FileError({ path, reason, message, ...(near.length === 0 ? {} : { near }) }))

  const isFolder = (name: string): boolean => name === "." || [...files.keys()].some((path) => path.startsWith(`${name}/`))

  /** The name of a path inside the root; fails for one outside. */
  const locate = (path: string): Effect.Effect<string, FileError> => {
    const refusal = Root.refusal(path)
    if (refusal !== undefined) return fail(path, "Other", refusal)
    const name = PathName.relativePath(root, path)
    return name.startsWith("/") ? fail(path, "Outside", "It is outside the workspace.") : Effect.succeed(name)
  }

  const readBytes = Effect.fnUntraced(function*(path: string) {
    const name = yield* locate(path)
    const bytes = files.get(name)
    if (bytes !== undefined) return bytes
    if (isFolder(name)) return yield* fail(path, "IsDirectory", "It is a folder.")
    return yield* fail(path, "NotFound", "The file does not exist.", nearbyPaths(files, name))
  })

  const readText = Effect.fnUntraced(function*(path: string) {
    const bytes = yield* readBytes(path)
    const decoded = Encoding.decode(bytes)
    if (Result.isFailure(decoded)) return yield* fail(path, decoded.failure.reason, decoded.failure.message)
    return { ...decoded.success, hash: sha256(bytes) }
  })

  const locateForChange = (path: string) =>
    Effect.filterOrElse(
      locate(path),
      (name) => !Root.isProtected(name),
      () => fail(path, "Protected", "A repository's own files must not be changed.")
    )

  const infos = (folder: string): ReadonlyArray<FileInfo> => {
    const prefix = folder === "." ? "" : `${folder}/`
    const entries = new Map<string, FileInfo>()
    for (const [path, bytes] of files) {
      if (!path.startsWith(prefix)) continue
      const names = path.slice(prefix.length).split("/")
      for (const [i] of names.entries()) {
        const entryPath = prefix + names.slice(0, i + 1).join("/")
        const isFile = i === names.length - 1
        entries.set(entryPath, { path: entryPath, kind: isFile ? "file" : "directory", ...(isFile ? contentInfo(bytes) : folderInfo) })
      }
    }
    const depth = (path: string) => path.split("/").length
    return [...entries.values()].sort((a, b) => depth(a.path) - depth(b.path) || (a.path < b.path ? -1 : 1))
  }

  /** Whether an ignore file leaves out a path, or a folder above it. */
  const ignoredBy = (names: ReadonlyArray<string>, anyCase: boolean) => {
    const depth = (path: string) => path.split("/").length
    const sources = [...files].filter(([path]) => names.includes(path.slice(path.lastIndexOf("/") + 1))).toSorted(([a], [b]) =>
      depth(a) - depth(b)
    )
    const rules = sources.map(([path, bytes]) =>
      Ignore.compile({ folder: path.split("/").slice(0, -1).join("/"), text: new TextDecoder().decode(bytes) }, { anyCase })
    )
    return (path: string): boolean =>
      path.split("/").some((_, i, each) => Ignore.isIgnored(rules, each.slice(0, i + 1).join("/"), i < each.length - 1 || !files.has(path)))
  }

  /** Which paths below a folder or file are shown; one that is ignored and named nevertheless shows all that it has. */
  const shownBelow = (name: string, all = false) => {
    const [isListed, isClosed] = [ignoredBy(Ignore.listingFiles, false), ignoredBy(Ignore.accessFiles, true)]
    const showsAll = all || (name !== "." && isListed(name))
    return (path: string): boolean => !isClosed(path) && (showsAll || !isListed(path)) && !Root.isProtected(path)
  }

  return Workspace.of({
    roots: [root],
    resolve: (path) => Effect.succeed(path.startsWith("/") ? path : path === "." ? root : `${root}/${path}`),
    follow: ({ path, pattern, tree }, filters) =>
      Effect.sync(() => {
        const steps = pattern ? ShellPattern.steps(path) : undefined
        if (pattern && steps === undefined) return null
        const all = [...files.keys()].map((name) => `${root}/${name}`)
        const names = (absolute: string) => absolute.split("/").slice(1)
        const isNamed = (absolute: string): boolean =>
          steps === undefined ? absolute === path : names(absolute).length === steps.length && names(absolute).every((name, i) =>
            "name" in steps[i]! ? steps[i].name === name : steps[i]!.test(name)
          )
        const folders = all.flatMap((absolute) => names(absolute).map((_, i, each) => `/${each.slice(0, i).join("/")}`))
        const starts = [...new Set([...all, ...folders])].filter(isNamed)
        const { enters, file } = Lookup.fileFilter(tree ?? { hidden: true })
        const included = [...files].flatMap(([name, bytes]) =>
          Lookup.ignoreFiles.some((each) => `/${name}`.endsWith(`/${each}`)) ? Lookup.reincludedNames(new TextDecoder().decode(bytes)) : []
        )
        const isRead = (inside: ReadonlyArray<string>) =>
          inside.slice(0, -1).every((name) => enters(name, included)) && file(inside.at(-1)!, included)
        const filesBelow = tree === undefined ? [] : all.filter((absolute) =>
          starts.some((start) => absolute.startsWith(`${start}/`) && isRead(absolute.slice(start.length + 1).split("/")))
        )
        return [...pattern ? starts : [], ...filesBelow].filter(
          tree?.tracked === undefined || tree.plain === true ? filters.path : filters.hasRule
        )
      }),
    stat: Effect.fnUntraced(function*(path) {
      const name = yield* locate(path)
      const bytes = files.get(name)
      if (bytes !== undefined) return { path: name, kind: "file", ...contentInfo(bytes) }
      if (isFolder(name)) return { path: name, kind: "directory", ...folderInfo }
      return yield* fail(path, "NotFound", "The file does not exist.", nearbyPaths(files, name))
    }),
    readText,
    readBytes,
    hash: (path) => Effect.map(readBytes(path), sha256),
    writeText: Effect.fnUntraced(function*(path, text, encoding = "utf-8") {
      const name = yield* locateForChange(path)
      if (isFolder(name)) return yield* fail(path, "IsDirectory", "It is a folder.")
      const parent = name.split("/").slice(0, -1).map((_, i, names) => names.slice(0, i + 1).join("/")).find((one) => files.has(one))
      if (parent !== undefined) return yield* fail(path, "NotDirectory", `${parent} is a file, not a folder.`)
      const bytes = Encoding.encode(text, encoding)
      if (bytes === undefined) return yield* fail(path, "NotText", `It can't be written as ${encoding}.`)
      files.set(name, bytes)
      return sha256(bytes)
    }),
    remove: Effect.fnUntraced(function*(path) {
      const name = yield* locateForChange(path)
      if (!files.delete(name)) return yield* fail(path, "NotFound", "The file does not exist.", nearbyPaths(files, name))
    }),
    move: Effect.fnUntraced(function*(path, to) {
      const from = yield* locateForChange(path)
      const name = yield* locateForChange(to)
      const bytes = files.get(from)
      if (bytes === undefined) return yield* fail(path, "NotFound", "The file does not exist.", nearbyPaths(files, from))
      if (files.has(name) || isFolder(name)) return yield* fail(to, "Exists", "It already exists.")
      files.set(name, bytes)
      files.delete(from)
    }),
    // A folder exists only while a file is in it.
    // Its folders are those of its files: an empty one is gone already.
    removeFolder: Effect.fnUntraced(function*(path) {
      const name = yield* locate(path)
      if (files.has(name)) return yield* fail(path, "NotDirectory", "It is a file, not a folder.")
      if (isFolder(name)) return yield* fail(path, "Other", "The folder is not empty.")
    }),
    list: Effect.fnUntraced(function*(path, { all: showsAll, depth, limit, isVisible = () => true }) {
      const name = yield* locate(path)
      if (files.has(name)) return yield* fail(path, "NotDirectory", "It is a file, not a folder.")
      if (!isFolder(name)) return yield* fail(path, "NotFound", "The folder does not exist.", nearbyPaths(files, name))
      const base = name === "." ? 0 : name.split("/").length
      const isShown = shownBelow(name, showsAll)
      const all = infos(name).filter((info) =>
        info.path.split("/").length - base <= depth && isShown(info.path) && isVisible(`${root}/${info.path}`)
      )
      return { entries: all.slice(0, limit).map(({ kind, path }) => ({ kind, path })), isTruncated: all.length > limit }
    }),
    names: (maxNames) =>
      Effect.sync(() =>
        infos(".").filter(({ path }) => shownBelow(".")(path)).slice(0, maxNames).map(({ kind, path }) =>
          kind === "directory" ? `${path}/` : path
        )
      ),
    search: Effect.fnUntraced(function*(path, regex, { context, files: glob, limit, isVisible = () => true }) {
      const name = yield* locate(path)
      if (!files.has(name) && !isFolder(name)) return yield* fail(path, "NotFound", "The file does not exist.", nearbyPaths(files, name))
      const pattern = yield* Effect.try({
        try: () => new RegExp(regex, "u"),
        catch: () => new FileError({ path, reason: "BadPattern", message: `${regex} is not a valid regular expression.` })
      })
      const matchesGlob = glob === undefined ? () => true : picomatch(Glob.finite(glob), { dot: true, basename: !glob.includes("/") })
      const isShown = shownBelow(name)
      const texts = [...files].filter(([file]) =>
        (name === "." || file === name || file.startsWith(`${name}/`)) && isShown(file) && matchesGlob(file) && isVisible(`${root}/${file}`)
      ).sort(([a], [b]) => a < b ? -1 : 1)
      return hits(texts, pattern, context, limit)
    })
  })
}

/** Matching lines with those around them, until `limit` lines have matched. */
const hits = (texts: ReadonlyArray<readonly [string, Uint8Array]>, pattern: RegExp, context: number, limit: number): SearchResult => {
  const results: Array<SearchResult["hits"][number]> = []
  let matches = 0
  for (const [path, bytes] of texts) {
    const text = Result.getOrUndefined(Encoding.decode(bytes))?.text ?? ""
    const lines = text.replace(/\r?\n$/, "").split(/\r?\n/)
    const lineIndexes = lines.flatMap((line, i) => pattern.test(line) ? [i] : [])
    const limitedIndexes = new Set(lineIndexes.slice(0, limit - matches))
    const isShown = (index: number) => [...limitedIndexes].some((one) => Math.abs(one - index) <= context)
    results.push(...lines.flatMap((text, i) => isShown(i) ? [{ path, line: i + 1, text, match: limitedIndexes.has(i) }] : []))
    matches += limitedIndexes.size
    if (limitedIndexes.size < lineIndexes.length) return { hits: results, isTruncated: true }
  }
  return { hits: results, isTruncated: false }
}

/** What can be derived from bytes without a clock. */
const contentInfo = (bytes: Uint8Array) => ({ size: bytes.length, modified: 0, version: sha256(bytes) })
const folderInfo = { size: 0, modified: 0, version: "" }

/** Files beside it, and files with the same name elsewhere. */
const nearbyPaths = (files: Files, name: string): ReadonlyArray<string> => {
  const [, folder = "", last = ""] = /^(.*?)([^/]*)$/s.exec(name) ?? []
  return [...files.keys()].filter((path) =>
    path.endsWith(`/${last}`) || (path.startsWith(folder) && !path.slice(folder.length).includes("/"))
  ).slice(0, 5)
}
