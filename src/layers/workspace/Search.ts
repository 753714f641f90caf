/**
 * Searches text below a folder. Files are read and matched here, in one order, whether ripgrep has narrowed them
 * or not: the results are the same with it and without it, only the time is not.
 */
import * as Result from "effect/Result"
import * as fs from "node:fs/promises"
import { basename, dirname, join, relative } from "node:path"
import picomatch from "picomatch/posix.js"
import * as Glob from "../../domain/workspace/Glob.ts"
import * as Encoding from "../../domain/workspace/Encoding.ts"
import type { SearchResult } from "../../services/Workspace.ts"
import * as Confine from "./Confine.ts"
import * as Pattern from "./Pattern.ts"
import * as Ripgrep from "./Ripgrep.ts"
import * as Walk from "./Walk.ts"

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
  const wanted = matcher(options.files)
  const hits: Array<Hit> = []
  let matches = 0
  const found = isFolder ? candidates(ripgrep, place, regex, options.files, signal) : [relative(place.root, place.real)]
  for await (const reals of together(found, (file) => join(place.root, file), (real) => wanted(relative(folder, real)))) {
    const read = reals.map((real) => ({ real, lines: linesOf(textOf(roots, real)) }))
    for (const [i, matching] of pattern(read.map(({ lines }) => lines)).entries()) {
      const { lines, real } = read[i]!
      const taken = matching.slice(0, options.limit - matches)
      hits.push(...around(Confine.shown(roots, real), lines, taken, options.context))
      matches += taken.length
      if (taken.length < matching.length) return { hits, cut: true }
    }
  }
  return { hits, cut: false }
}

/** Files that are matched together. */
const atOnce = 8

/** The wanted files in their order, several at a time. */
async function* together(
  files: Iterable<string> | AsyncIterable<string>,
  place: (file: string) => string,
  wanted: (real: string) => boolean
): AsyncGenerator<ReadonlyArray<string>> {
  let group: Array<string> = []
  for await (const file of files) {
    const real = place(file)
    if (!wanted(real)) continue
    group.push(real)
    if (group.length < atOnce) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

const linesOf = (text: string | undefined): ReadonlyArray<string> =>
  text === undefined ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/)

/** Files to look into, relative to the root, depth first by name. */
async function* candidates(
  ripgrep: string | undefined,
  { real, root }: Confine.Place,
  regex: string,
  files: string | undefined,
  signal: AbortSignal
): AsyncGenerator<string> {
  const start = Walk.enter(root, real)
  // What is no ASCII may be written in other bytes than ripgrep looks for.
  const narrowed = ripgrep === undefined || /[^\x00-\x7f]|\\[xup]/.test(regex)
    ? undefined
    : await Ripgrep.sieve(ripgrep, { folder: real, regex, files, largest }, signal)
  if (narrowed === undefined) {
    for await (const { path } of Walk.files(start, signal)) yield path
  } else {
    const shows = Walk.visibility(start)
    for (const path of narrowed.toSorted(byName)) if (shows(path)) yield relative(root, join(real, path))
  }
}

/** The order of a walk: folder by folder, names by code unit. */
const byName = (a: string, b: string): number => {
  const [x, y] = [a.split("/"), b.split("/")]
  const at = x.findIndex((name, i) => name !== y[i])
  return at < 0 ? x.length - y.length : y[at] === undefined || x[at]! > y[at] ? 1 : -1
}

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
const textOf = (roots: Confine.Roots, real: string): string | undefined => {
  try {
    const bytes = Confine.contentOf(roots, real, largest)
    return bytes === undefined ? undefined : Result.getOrUndefined(Encoding.decode(bytes))?.text
  } catch {
    return undefined
  }
}

const matcher = (glob: string | undefined): (path: string) => boolean => {
  if (glob === undefined || glob === "") return () => true
  const matches = picomatch(Glob.finite(glob.replace(/^\.?\//, "")), { dot: true })
  return glob.replace(/^\.\//, "").includes("/") ? matches : (path) => matches(basename(path))
}
