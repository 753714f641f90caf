/**
 * Searches text below a folder. Files are read and matched here, in one order, whether ripgrep has narrowed them
 * or not: the results are the same with it and without it, only the time is not.
 */
import * as Result from "effect/Result"
import * as fs from "node:fs/promises"
import { basename, dirname, relative } from "node:path"
import picomatch from "picomatch/posix.js"
import * as Glob from "../../../domain/workspace/Glob.ts"
import * as Encoding from "../../../domain/workspace/Encoding.ts"
import type { SearchResult } from "../../../services/Workspace.ts"
import * as Confine from "./PathGuard.ts"
import * as Pattern from "./SearchPattern.ts"
import * as Ripgrep from "./Ripgrep.ts"
import * as Walk from "./WalkFiles.ts"
import * as Turns from "../YieldToEventLoop.ts"

export interface Options {
  /** A glob: without `/` it is about names, with it about paths below the folder searched. */
  readonly files?: string
  readonly context: number
  /** Matching lines. */
  readonly limit: number
}

type Hit = SearchResult["hits"][number]

/** Bytes of a file that is still searched. */
const largest = 10 * 1024 * 1024

/** `ripgrep` is the program, where there is one. */
export const search = async (
  roots: Confine.Roots,
  ripgrep: string | undefined,
  path: string,
  regex: string,
  options: Options,
  signal: AbortSignal
): Promise<SearchResult> => {
  const place = await Confine.locate(roots, path)
  const isFolder = (await fs.lstat(place.real)).isDirectory()
  const folder = isFolder ? place.real : dirname(place.real)
  const pattern = Pattern.compile(path, regex)
  const wanted = matcher(folder, options.files)
  const found = isFolder ? await candidates(ripgrep, place, regex, options.files, signal) : [relative(place.root, place.real)]
  const reader = Confine.reader(roots, largest)
  const root = place.root === "/" ? "" : place.root
  const read = (file: string): Text | undefined => {
    const real = `${root}/${file}`
    const text = wanted(real) ? textOf(reader, real) : undefined
    return text === undefined ? undefined : { real, text }
  }
  const hits: Array<Hit> = []
  let matches = 0
  try {
    for (const texts of together(found, read)) {
      signal.throwIfAborted()
      for (const [i, matching] of pattern(texts.map(({ text }) => text)).entries()) {
        if (matching.length === 0) continue
        const { real, text } = texts[i]!
        const taken = matching.slice(0, options.limit - matches)
        hits.push(...around(Confine.shown(roots, real), Pattern.lines(text), taken, options.context))
        matches += taken.length
        if (taken.length < matching.length) return { hits, cut: true }
      }
      await Turns.others()
    }
  } finally {
    reader.close()
  }
  return { hits, cut: false }
}

interface Text {
  readonly real: string
  readonly text: string
}

/** Files and characters that are matched together, under one watchdog. */
const most = { files: 512, characters: 1 << 22 }

/** The texts of files in their order, several at a time. */
function* together(files: Iterable<string>, read: (file: string) => Text | undefined): Generator<ReadonlyArray<Text>> {
  let texts: Array<Text> = []
  let looked = 0
  let characters = 0
  for (const file of files) {
    const text = read(file)
    looked++
    if (text !== undefined) {
      texts.push(text)
      characters += text.text.length
    }
    if (looked < most.files && characters < most.characters) continue
    yield texts
    texts = []
    looked = 0
    characters = 0
  }
  yield texts
}

/** Files to look into, relative to the root, depth first by name. */
const candidates = async (
  ripgrep: string | undefined,
  { real, root }: Confine.Place,
  regex: string,
  files: string | undefined,
  signal: AbortSignal
): Promise<Iterable<string>> => {
  const start = Walk.enter(root, real)
  // What is no ASCII may be written in other bytes than ripgrep looks for.
  const narrowed = ripgrep === undefined || /[^\x00-\x7f]|\\[xup]/.test(regex)
    ? undefined
    : await Ripgrep.sieve(ripgrep, { folder: real, regex, files, largest }, signal)
  if (narrowed === undefined) return Walk.files(start)
  const prefix = relative(root, real)
  return shown(inOrder(narrowed), prefix === "" ? "" : `${prefix}/`, Walk.visibility(start))
}

function* shown(paths: ReadonlyArray<string>, prefix: string, shows: (path: string) => boolean): Generator<string> {
  for (const path of paths) if (shows(path)) yield prefix + path
}

/** The order of a walk: folder by folder, names by code unit. So are texts sorted in which a folder's end comes before any character. */
const inOrder = (paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  paths.map((path) => path.replaceAll("/", "\0")).sort().map((key) => key.replaceAll("\0", "/"))

/** The matching lines with those around them, each once. */
const around = (path: string, lines: ReadonlyArray<string>, matching: ReadonlyArray<number>, context: number): ReadonlyArray<Hit> => {
  const shown = new Map<number, boolean>()
  for (const at of matching) {
    for (let i = Math.max(0, at - context); i <= Math.min(lines.length - 1, at + context); i++) shown.set(i, shown.get(i) ?? false)
    shown.set(at, true)
  }
  return [...shown].sort(([a], [b]) => a - b).map(([i, match]) => ({ path, line: i + 1, text: lines[i]!, match }))
}

/** The text of a file that may be shown; undefined for what is none, too large, or gone. */
const textOf = ({ read }: ReturnType<typeof Confine.reader>, real: string): string | undefined => {
  try {
    const bytes = read(real)
    return bytes === undefined ? undefined : Result.getOrUndefined(Encoding.decode(bytes))?.text
  } catch {
    return undefined
  }
}

/** Whether a file's absolute path is one that a glob below the folder names. */
const matcher = (folder: string, glob: string | undefined): (real: string) => boolean => {
  if (glob === undefined || glob === "") return () => true
  const matches = picomatch(Glob.finite(glob.replace(/^\.?\//, "")), { dot: true })
  return glob.replace(/^\.\//, "").includes("/") ? (real) => matches(relative(folder, real)) : (real) => matches(basename(real))
}
