/** Measures of the source as a whole: how files are grouped, named and connected. */
import { posix } from "node:path"
import { scan } from "./scan.ts"

export interface Measures {
  readonly lines: ReadonlyMap<string, number>
  /** Files by folder, those of its sub-folders not counted. */
  readonly folders: ReadonlyMap<string, number>
  readonly repeatedNames: ReadonlyMap<string, ReadonlyArray<string>>
  /** Under 40 lines, and imported by one other file. */
  readonly smallFiles: ReadonlyArray<string>
  /** `path:line` of lines over 140 columns. Texts and patterns stay whole, so that they can be searched for: their insides do not count. */
  readonly longLines: ReadonlyArray<string>
  /** Each as the path of files that it goes through. */
  readonly circles: ReadonlyArray<ReadonlyArray<string>>
}

/** Files that import each other, type imports included: a depth-first walk, each file once. */
const circlesOf = (imports: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<ReadonlyArray<string>> => {
  const state = new Map<string, "open" | "done">()
  const circles: Array<ReadonlyArray<string>> = []
  const visit = (path: string, trail: ReadonlyArray<string>): void => {
    if (state.get(path) === "done") return
    if (state.get(path) === "open") return void circles.push([...trail.slice(trail.indexOf(path)), path])
    state.set(path, "open")
    for (const target of imports.get(path) ?? []) visit(target, [...trail, path])
    state.set(path, "done")
  }
  for (const path of imports.keys()) visit(path, [])
  return circles
}

const maxColumns = 140

/** A comment counts as it is written; of code, what is left where the blanked insides of literals are taken out. */
const isLong = (line: string, code: string): boolean =>
  code.trim() === "" ? /^\s*(?:\/\*|\*|\/\/)/.test(line) : code.trim().replace(/ {2,}/g, "").length > maxColumns

export const measure = (files: ReadonlyMap<string, string>): Measures => {
  const imports = new Map([...files].map(([path, text]) => [
    path,
    scan(text).imports
      .filter(({ specifier }) => specifier.startsWith("."))
      .map(({ specifier }) => posix.join(posix.dirname(path), specifier))
      .filter((target) => files.has(target))
  ]))
  const importers = new Map<string, Set<string>>()
  for (const [path, targets] of imports) for (const target of targets) importers.set(target, (importers.get(target) ?? new Set()).add(path))
  const lines = new Map([...files].map(([path, text]) => [path, text.split("\n").length - 1]))
  const names = Map.groupBy(files.keys(), (path) => posix.basename(path))
  return {
    lines,
    folders: new Map([...Map.groupBy(files.keys(), (path) => posix.dirname(path))].map(([folder, paths]) => [folder, paths.length])),
    repeatedNames: new Map([...names].filter(([, paths]) => paths.length > 1)),
    smallFiles: [...files.keys()].filter((path) => lines.get(path)! < 40 && importers.get(path)?.size === 1),
    longLines: [...files].flatMap(([path, text]) => {
      const code = scan(text).code.split("\n")
      return text.split("\n").flatMap((line, i) => line.length > maxColumns && isLong(line, code[i]!) ? [`${path}:${i + 1}`] : [])
    }),
    circles: circlesOf(imports)
  }
}
