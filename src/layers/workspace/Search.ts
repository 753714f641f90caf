/** Searches text below a folder: the same hits, in the same order, whichever engine looks for them. */
import picomatch from "picomatch/posix.js"
import * as fs from "node:fs/promises"
import { dirname, join, relative } from "node:path"
import * as Result from "effect/Result"
import * as Encoding from "../../domain/workspace/Encoding.ts"
import type { SearchResult } from "../../services/Workspace.ts"
import * as Confine from "./Confine.ts"
import { fail } from "./FileFailure.ts"
import * as Walk from "./Walk.ts"

export interface Options {
  /** A glob: without `/` it is about names, with it about paths below the folder searched. */
  readonly files?: string
  readonly context: number
  /** Matching lines. */
  readonly limit: number
}

type Hit = SearchResult["hits"][number]

/** Bytes of a file that is still searched, and characters of a line that are shown. */
const largest = 10 * 1024 * 1024
const longest = 500

export const search = async (
  roots: Confine.Roots,
  path: string,
  regex: string,
  options: Options,
  signal: AbortSignal
): Promise<SearchResult> => {
  const place = await Confine.locate(roots, path)
  const isFolder = (await fs.lstat(place.real)).isDirectory()
  const pattern = compile(path, regex)
  const wanted = matcher(options.files)
  const hits: Array<Hit> = []
  let matches = 0
  const found = isFolder
    ? Walk.files(Walk.enter(place.root, place.real), signal)
    : [{ path: relative(place.root, place.real), name: "", kind: "file" as const }]
  for await (const file of found) {
    const real = join(place.root, file.path)
    if (!wanted(relative(isFolder ? place.real : dirname(place.real), real))) continue
    const text = await textOf(roots, { ...place, real })
    if (text === undefined) continue
    const lines = text.replace(/\r?\n$/, "").split(/\r?\n/)
    const matching = lines.flatMap((line, i) => pattern.test(line) ? [i] : [])
    const taken = matching.slice(0, options.limit - matches)
    hits.push(...around(Confine.shown(roots, real), lines, taken, options.context))
    matches += taken.length
    if (taken.length < matching.length) return { hits, cut: true }
  }
  return { hits, cut: false }
}

/** The matching lines with those around them, each once. */
const around = (path: string, lines: ReadonlyArray<string>, matching: ReadonlyArray<number>, context: number): ReadonlyArray<Hit> => {
  const shown = new Map<number, boolean>()
  for (const at of matching) {
    for (let i = Math.max(0, at - context); i <= Math.min(lines.length - 1, at + context); i++) shown.set(i, shown.get(i) ?? false)
    shown.set(at, true)
  }
  return [...shown].sort(([a], [b]) => a - b).map(([i, match]) => ({ path, line: i + 1, text: lines[i]!.slice(0, longest), match }))
}

const textOf = async (roots: Confine.Roots, place: Confine.Place): Promise<string | undefined> => {
  try {
    const { file, stat } = await Confine.openFile(roots, place)
    try {
      if (stat.size > largest) return undefined
      return Result.getOrUndefined(Encoding.decode(await file.readFile()))?.text
    } finally {
      await file.close()
    }
  } catch {
    return undefined
  }
}

/** JavaScript's dialect, with flags that may stand in front as in others (`(?i)`). */
const compile = (path: string, regex: string): RegExp => {
  const [, flags = "", body = ""] = /^(?:\(\?([ims]+)\))?([^]*)$/.exec(regex)!
  try {
    return new RegExp(body, `u${flags}`)
  } catch {
    try {
      return new RegExp(body, flags)
    } catch (cause) {
      throw fail(path, "BadPattern", (cause as Error).message)
    }
  }
}

const matcher = (glob: string | undefined): (path: string) => boolean => {
  if (glob === undefined || glob === "") return () => true
  const matches = picomatch(glob.replace(/^\.?\//, ""), { dot: true })
  return glob.replace(/^\.\//, "").includes("/") ? matches : (path) => matches(path.slice(path.lastIndexOf("/") + 1))
}
