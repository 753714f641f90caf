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
  const read = (file: string): Text | undefined => {
    const real = join(place.root, file)
    const text = wanted(relative(folder, real)) ? textOf(roots, real) : undefined
    return text === undefined ? undefined : { real, size: text.length, lines: text.replace(/\r?\n$/, "").split(/\r?\n/) }
  }
  for await (const texts of together(found, read)) {
    for (const [i, matching] of pattern(texts.map(({ lines }) => lines)).entries()) {
      const { lines, real } = texts[i]!
      const taken = matching.slice(0, options.limit - matches)
      hits.push(...around(Confine.shown(roots, real), lines, taken, options.context))
      matches += taken.length
      if (taken.length < matching.length) return { hits, cut: true }
    }
  }
  return { hits, cut: false }
}

interface Text {
  readonly real: string
  readonly size: number
  readonly lines: ReadonlyArray<string>
}

/** Files and characters that are matched together, under one watchdog. */
const most = { files: 64, characters: 1 << 20 }

/** The texts of files in their order, several at a time. */
async function* together(
  files: Iterable<string> | AsyncIterable<string>,
  read: (file: string) => Text | undefined
): AsyncGenerator<ReadonlyArray<Text>> {
  let texts: Array<Text> = []
  let characters = 0
  for await (const file of files) {
    const text = read(file)
    if (text === undefined) continue
    texts.push(text)
    characters += text.size
    if (texts.length < most.files && characters < most.characters) continue
    yield texts
    texts = []
    characters = 0
  }
  if (texts.length > 0) yield texts
}

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
