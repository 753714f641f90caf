/** Where the touches of a command lead: as written, and as the workspace resolved links, patterns and trees. */
import { type Analysis, flatten, type SimpleCommand, type Touch, type Word } from "../tool/CommandLine.ts"
import * as Lookup from "../workspace/Lookup.ts"
import * as PathSpec from "./PathSpec.ts"
import { patternNames } from "./PathSpec.ts"

/** Where a command runs. */
export interface PathContext {
  readonly cwd: string
  readonly home: string
  /** What the workspace reported about the command's paths; without it paths are judged as written. */
  readonly leads?: Lookup.Leads
}

export type Place =
  /** All names of one path, and the parts of a tree or a pattern that need a judgement of their own. */
  | { readonly _tag: "Named"; readonly paths: ReadonlyArray<string> }
  /** Anything in a folder whose name passes; `isSeen` if the relevant entries are among the named ones. */
  | { readonly _tag: "Within"; readonly folder: string; readonly matchesName: (name: string) => boolean; readonly isSeen: boolean }
  /** Everything beneath a folder that is itself among the named ones. */
  | { readonly _tag: "Below"; readonly folder: string; readonly isSeen: boolean }
  /** Known only at run time: beneath this folder, as far as it is written. */
  | { readonly _tag: "Unknown"; readonly folder: string; readonly why: string }

/** All places of a touch, one or two for each folder that the command may run in. */
export const of = (part: SimpleCommand, touch: Touch, pathContext: PathContext): ReadonlyArray<Place> =>
  (part.folders ?? [""]).flatMap((folder) => fromFolder(folder, touch, pathContext))

const fromFolder = (folder: string, touch: Touch, pathContext: PathContext): ReadonlyArray<Place> => {
  const { path, tree, word } = touch
  const start = startOf(folder, pathContext)
  const resolveText = (text: string): string => PathSpec.resolve("/", absolutePath(start, word, text, pathContext))
  if (word.kind === "dynamic" || word.kind === "process") {
    const parentFolder = path.slice(0, path.lastIndexOf("/") + 1)
    return [{
      _tag: "Unknown",
      folder: parentFolder === "" ? "/" : resolveText(parentFolder),
      why: `${word.source} is known only at run time`
    }]
  }
  const results = lookupsFrom(start, touch, pathContext).map((lookup) => pathContext.leads?.[Lookup.key(lookup)])
  const paths = results.flatMap((result) => result ?? [])
  const isSeen = results.every((result) => result !== undefined)
  const unknownPlaces: ReadonlyArray<Place> = results.includes(null)
    ? [{ _tag: "Unknown", folder: "/", why: `the target of ${word.source} can't be determined` }] : []
  if (word.kind === "glob") {
    const wildcardIndex = path.search(/[*?[(]/)
    const literalPrefix = wildcardIndex < 0 ? path : path.slice(0, wildcardIndex)
    return [
      {
        _tag: "Within",
        folder: resolveText(literalPrefix.slice(0, literalPrefix.lastIndexOf("/") + 1)),
        matchesName: patternNames(path),
        isSeen
      },
      ...namedPlaces(paths),
      ...unknownPlaces
    ]
  }
  const literalPaths = spellings(start, word, path, pathContext).map((spelling) => PathSpec.resolve("/", spelling))
  // What git tracks is a matter of rules alone, namely the ones that were asked about it.
  const subtreePlaces: ReadonlyArray<Place> = tree === undefined || tree.tracked !== undefined ? []
    : literalPaths.map((folder) => ({ _tag: "Below", folder, isSeen: isSeen && touch.access === "read" }))
  return [...namedPlaces([...literalPaths, ...paths]), ...subtreePlaces, ...unknownPlaces]
}

const namedPlaces = (paths: ReadonlyArray<string>): ReadonlyArray<Place> =>
  paths.length === 0 ? [] : [{ _tag: "Named", paths: [...new Set(paths)] }]

/** The file in `bash scripts/test.sh`, which runs as it does by its own name. */
export const scriptOf = ({ name, words: [, file] }: SimpleCommand): Word | undefined =>
  name !== undefined && /^(?:ba|da|z)?sh$/.test(name) && file?.kind === "literal" && /^[^-+]/.test(file.text) ? file : undefined

/** A program that is named by its path and lies outside the system's folders, and the script that a shell runs. */
const programOf = (part: SimpleCommand, pathContext: PathContext): ReadonlyArray<string> => {
  const { folders = [], words: [program] } = part
  const isNamed = program !== undefined && (program.kind === "literal" || program.kind === "tilde") && program.text.includes("/") &&
    !/^\/(?:usr\/)?bin\/[^/]+$/.test(program.text)
  const files = [isNamed ? program : undefined, scriptOf(part)].filter((word) => word !== undefined)
  return files.flatMap((word) => folders.map((folder) => absolutePath(startOf(folder, pathContext), word, word.text, pathContext)))
}

/** Every name of the program that a part runs by its path; empty if the system finds it, undefined if that is uncertain. */
export const programs = (part: SimpleCommand, pathContext: PathContext): ReadonlyArray<string> | undefined => {
  if (part.folders === undefined) return part.words[0]?.text.includes("/") === true || scriptOf(part) !== undefined ? undefined : []
  const names = programOf(part, pathContext).map((path) => [PathSpec.resolve("/", path), pathContext.leads?.[path]] as const)
  return names.some(([, result]) => result === null) ? undefined : names.flatMap(([path, result]) => [path, ...result ?? []])
}

export interface LookupRequest {
  readonly lookup: Lookup.Lookup
  readonly access: Touch["access"]
}

/** The folder in which a command starts, by all its names. */
export const startingFolder = ({ cwd, leads }: PathContext): ReadonlyArray<string> => [cwd, ...leads?.[cwd] ?? []]

/** What the workspace has to look up before the command can be judged; nothing that only running it can reveal. */
export const lookups = ({ parts }: Analysis, pathContext: PathContext): ReadonlyArray<LookupRequest> => {
  const requests = new Map<string, LookupRequest>([[pathContext.cwd, {
    lookup: { path: pathContext.cwd, pattern: false },
    access: "enter"
  }]])
  for (const part of flatten(parts)) {
    const { folders = [], hazards, readOnly, touches } = part
    for (const path of programOf(part, pathContext))
      if (!requests.has(path)) requests.set(path, { lookup: { path, pattern: false }, access: "read" })
    // With an unlisted option a program may write what it is supposed to read.
    const writes = !readOnly && hazards.length > 0
    for (const touch of touches) {
      if (isSink(touch.path)) continue
      for (const folder of folders) {
        for (const lookup of lookupsFrom(startOf(folder, pathContext), touch, pathContext)) {
          const key = Lookup.key(lookup)
          if (requests.get(key)?.access !== "write") requests.set(key, { lookup, access: writes ? "write" : touch.access })
        }
      }
    }
  }
  return [...requests.values()]
}

/** A tree's contents count where it is read: what is written into it, or removed with it, is judged by its folder. */
const lookupsFrom = (start: string, { access, path, tree, word }: Touch, pathContext: PathContext): ReadonlyArray<Lookup.Lookup> => {
  if (word.kind === "dynamic" || word.kind === "process" || path === "") return []
  const treeOption = tree === undefined || access !== "read" ? {} : { tree }
  return word.kind === "glob"
    ? [{ path: pattern(start, word, path, pathContext), pattern: true, ...treeOption }]
    : spellings(start, word, path, pathContext)
      // The shell's own `cd` removes `..` with the name before it, though that may be a link.
      .flatMap((path) => access === "enter" && path.includes("..") ? [...new Set([path, PathSpec.resolve("/", path)])] : [path])
      .map((path) => ({ path, pattern: false, ...treeOption }))
}

/** The folder in which it runs, as written, relative to the one in which the command starts. */
const startOf = (folder: string, { cwd, home }: PathContext): string =>
  folder === "" ? cwd : PathSpec.join(cwd, PathSpec.expandTilde(folder, home))

const absolutePath = (start: string, word: Word, text: string, { home }: PathContext): string =>
  PathSpec.join(start, isTilde(word, text) ? PathSpec.expandTilde(text, home) : text)

/** A shell expands `~` at the beginning of a word; after `=` or `@` a program may, so both readings count. */
const spellings = (
  start: string,
  word: Word,
  path: string,
  pathContext: PathContext
): ReadonlyArray<string> => [
  ...new Set([absolutePath(start, word, path, pathContext), ...word.kind === "tilde" ? [] : [PathSpec.join(start, path)]])
]

const isTilde = ({ kind, source }: Word, text: string): boolean =>
  kind === "tilde" || (text.startsWith("~") && /^["']?(?:~|\$\{?HOME\b)|[=@]~/.test(source))

const pattern = (start: string, word: Word, path: string, { home }: PathContext): string =>
  PathSpec.join(escapeGlob(start), isTilde(word, path) ? PathSpec.expandTilde(path, escapeGlob(home)) : path)

const escapeGlob = (path: string): string => path.replace(/[*?[\]\\]/g, "\\$&")

const sinks = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/zero"])

/** A device that stores nothing and contains nothing. */
export const isSink = (path: string): boolean => sinks.has(path)

/** What describes the machine to every program, and holds nothing of its user. */
const machineFiles = new Set(
  ("/etc/os-release /usr/lib/os-release /etc/lsb-release /etc/debian_version /etc/alpine-release /etc/redhat-release /etc/timezone "
    + "/proc/cpuinfo /proc/meminfo /proc/loadavg /proc/uptime /proc/version").split(" ")
)

/** Whether a touch only reads what every program may know. */
export const isPublic = ({ access }: Pick<Touch, "access">, path: string): boolean => access === "read" && machineFiles.has(path)

/** A pattern that matches hidden names, or climbs out of the folder that it names. */
export const canReachHidden = ({ path, word }: Touch): boolean => {
  if (word.kind !== "glob") return false
  const segments = path.split("/")
  const wildcardIndex = segments.findIndex((segment) => /[*?[(]/.test(segment))
  return segments.slice(Math.max(wildcardIndex, 0)).some((segment) => segment.startsWith("."))
}
