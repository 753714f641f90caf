/**
 * Searches text below a folder. Files are read and matched here, in one order, whether ripgrep has narrowed them down
 * or not: the results are the same with and without it, only the time differs.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fs from "node:fs/promises"
import { basename, dirname, relative } from "node:path"
import * as Encoding from "../../../domain/workspace/Encoding.ts"
import type { SearchResult, PathFilter } from "../../../services/Workspace.ts"
import * as PathGuard from "./PathGuard.ts"
import * as FileFailure from "./FileFailure.ts"
import * as LineMatch from "./LineMatch.ts"
import * as SearchPattern from "./SearchPattern.ts"
import * as Ripgrep from "./Ripgrep.ts"
import * as WalkFiles from "./WalkFiles.ts"
import * as YieldToEventLoop from "../YieldToEventLoop.ts"

export interface Options {
  /** A glob: without `/` it matches names, with it paths below the searched folder. */
  readonly files?: string
  readonly context: number
  /** Matching lines. */
  readonly limit: number
  /** Files that it excludes are not opened: even their number would reveal something of their content. */
  readonly isVisible?: PathFilter
}

type Hit = SearchResult["hits"][number]

/** The size limit of searched files in bytes. */
const maxFileBytes = 10 * 1024 * 1024

/** `ripgrep` is the program, if available. */
export const search = Effect.fnUntraced(
  function*(roots: PathGuard.Roots, ripgrep: string | undefined, path: string, regex: string, options: Options) {
    const { isVisible = () => true } = options
    const attempt = <A>(run: (signal: AbortSignal) => Promise<A>) => Effect.tryPromise({ try: run, catch: FileFailure.from(path) })
    const location = yield* attempt(() => PathGuard.locate(roots, path))
    const isFolder = yield* attempt(async () => (await fs.lstat(location.real)).isDirectory())
    const folder = isFolder ? location.real : dirname(location.real)
    const pattern = yield* SearchPattern.compile(path, regex)
    const matchGlob = yield* globFilter(path, folder, options.files)
    const candidatePaths = yield* attempt(async (signal) =>
      isFolder ? candidates(ripgrep, location, regex, options.files, signal) : [relative(location.root, location.real)]
    )
    const reader = yield* Effect.acquireRelease(
      Effect.sync(() => PathGuard.reader(roots, maxFileBytes)),
      (reader) => Effect.sync(() => reader.close())
    )
    const root = location.root === "/" ? "" : location.root
    const hits: Array<Hit> = []
    let matches = 0
    for (const files of batches(candidatePaths)) {
      const paths = (yield* matchGlob(files.map((file) => `${root}/${file}`))).filter((real) =>
        isVisible(PathGuard.lexicalPath(roots, real))
      )
      for (const texts of textBatches(paths, reader)) {
        for (const [i, lineIndexes] of (yield* pattern(texts.map(({ text }) => text))).entries()) {
          if (lineIndexes.length === 0) continue
          const { real, text } = texts[i]!
          const limitedIndexes = lineIndexes.slice(0, options.limit - matches)
          hits.push(...withContext(PathGuard.displayPath(roots, real), LineMatch.lines(text), limitedIndexes, options.context))
          matches += limitedIndexes.length
          if (limitedIndexes.length < lineIndexes.length) return { hits, isTruncated: true } satisfies SearchResult as SearchResult
        }
        yield* Effect.promise(() => YieldToEventLoop.yieldToEventLoop())
      }
    }
    return { hits, isTruncated: false } satisfies SearchResult as SearchResult
  },
  Effect.scoped
)

interface FileText {
  readonly real: string
  readonly text: string
}

/** Files and characters that are matched in one batch: each request to the thread costs a round trip. */
const batchLimits = { files: 512, characters: 1 << 22 }

function* batches(files: Iterable<string>): Generator<ReadonlyArray<string>> {
  let batch: Array<string> = []
  for (const file of files) {
    if (batch.push(file) < batchLimits.files) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** The texts of files in their order, several at a time. */
function* textBatches(files: ReadonlyArray<string>, reader: ReturnType<typeof PathGuard.reader>): Generator<ReadonlyArray<FileText>> {
  let texts: Array<FileText> = []
  let characters = 0
  for (const real of files) {
    const text = textOf(reader, real)
    if (text === undefined) continue
    texts.push({ real, text })
    characters += text.length
    if (characters < batchLimits.characters) continue
    yield texts
    texts = []
    characters = 0
  }
  yield texts
}

/** Files to search, relative to the root, depth first by name. */
const candidates = async (
  ripgrep: string | undefined,
  { real, root }: PathGuard.ResolvedPath,
  regex: string,
  files: string | undefined,
  signal: AbortSignal
): Promise<Iterable<string>> => {
  const start = WalkFiles.enter(root, real)
  // Text that is not ASCII may be encoded in other bytes than ripgrep searches for.
  const ripgrepFiles = ripgrep === undefined || /[^\x00-\x7f]|\\[xup]/.test(regex)
    ? undefined
    : await Ripgrep.matchingFiles(ripgrep, { folder: real, regex, files, maxBytes: maxFileBytes }, signal)
  if (ripgrepFiles === undefined) return WalkFiles.files(start)
  const prefix = relative(root, real)
  return visiblePaths(inOrder(ripgrepFiles), prefix === "" ? "" : `${prefix}/`, WalkFiles.visibility(start))
}

function* visiblePaths(paths: ReadonlyArray<string>, prefix: string, isVisible: (path: string) => boolean): Generator<string> {
  for (const path of paths) if (isVisible(path)) yield prefix + path
}

/**
 * The order of a walk: folder by folder, names by code unit. It equals sorting texts in which a folder's end comes
 * before any character.
 */
const inOrder = (paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  paths.map((path) => path.replaceAll("/", "\0")).sort().map((key) => key.replaceAll("\0", "/"))

/** The matching lines with their context, each once. */
const withContext = (
  path: string,
  lines: ReadonlyArray<string>,
  lineIndexes: ReadonlyArray<number>,
  context: number
): ReadonlyArray<Hit> => {
  const matchByLine = new Map<number, boolean>()
  for (const index of lineIndexes) {
    for (let i = Math.max(0, index - context); i <= Math.min(lines.length - 1, index + context); i++)
      matchByLine.set(i, matchByLine.get(i) ?? false)
    matchByLine.set(index, true)
  }
  return [...matchByLine].sort(([a], [b]) => a - b).map(([i, match]) => ({ path, line: i + 1, text: lines[i]!, match }))
}

/** The text of a file that may be shown; undefined for one that is not text, too large, or deleted. */
const textOf = ({ read }: ReturnType<typeof PathGuard.reader>, real: string): string | undefined => {
  try {
    const bytes = read(real)
    return bytes === undefined ? undefined : Result.getOrUndefined(Encoding.decode(bytes))?.text
  } catch {
    return undefined
  }
}

/** Filters absolute paths by a glob below the folder. */
const globFilter = (path: string, folder: string, glob: string | undefined) => {
  if (glob === undefined || glob === "") return Effect.succeed((files: ReadonlyArray<string>) => Effect.succeed(files))
  const relativeName = glob.replace(/^\.\//, "").includes("/") ? (real: string) => relative(folder, real) : basename
  return Effect.map(
    SearchPattern.glob(path, glob.replace(/^\.?\//, ""), { dot: true }),
    (pattern) => (files: ReadonlyArray<string>) =>
      Effect.map(pattern(files.map((file) => relativeName(file))), (matches) => files.filter((_, i) => matches[i]!.length > 0))
  )
}
