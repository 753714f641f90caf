/**
 * What a command copies or moves without naming it: the contents of folders, which get the names that their new place gives
 * them, and links, which lead elsewhere from there.
 */
import { type Dirent, lstatSync, readdirSync, readlinkSync, statSync } from "node:fs"
import { join, resolve } from "node:path"
import * as ProtectedPaths from "../../../domain/approval/ProtectedPaths.ts"
import { type Analysis, flatten, type SimpleCommand } from "../../../domain/tool/CommandLine.ts"

/** The maximum number of names that are looked at in the folders that a command copies. */
const maxNames = 20_000

const copyPrograms = new Set(["cp", "gcp", "install", "mv", "rsync"])

/** Protected files that may come into being, and why something else can't be told before it runs. */
export const of = ({ parts }: Analysis, cwd: string): { readonly changes: ReadonlyArray<string>; readonly unclear?: string } => {
  const commands = flatten(parts)
  const copies = commands.filter(({ name }) => name !== undefined && copyPrograms.has(name))
  if (copies.length === 0) return { changes: [] }
  const written = (copy: SimpleCommand) =>
    new Set(commands.filter((command) => command !== copy).flatMap((command) => pathsOf(command, cwd, ({ access }) => access === "write")))
  const isAlone = commands.length === 1 && copies[0]!.words.every(({ kind }) => kind === "literal" || kind === "tilde")
  const budget = { names: maxNames }
  const changes: Array<string> = []
  for (const copy of copies) {
    const earlier = written(copy)
    const target = copy.words.at(-1)
    const hasOption = copy.words.some(({ text }) => /^-\w*t|^--target/.test(text))
    const sources = pathsOf(copy, cwd, ({ word }) => hasOption || word !== target)
    if (sources.some((path) => earlier.has(path) || !isFile(copy, path)))
      changes.push(...pathsOf(copy, cwd, ({ access }) => access === "write").flatMap((path) => ProtectedPaths.pathBelow(path) ?? []))
    const link = isAlone || followsLinks(copy) ? undefined : sources.find((path) => hasLink(path, budget))
    if (link !== undefined)
      return { changes, unclear: `${link} is a link, or has links in it, and what it leads to depends on where it is` }
  }
  return { changes }
}

const pathsOf = (
  { folders = [], touches }: SimpleCommand,
  cwd: string,
  isRelevant: (touch: SimpleCommand["touches"][number]) => boolean
): ReadonlyArray<string> =>
  touches.filter((touch) => isRelevant(touch) && touch.word.kind === "literal").flatMap(({ path }) =>
    folders.map((folder) => resolve(cwd, folder, path))
  )

/** `cp` without an option that keeps links, or copies folders. */
const followsLinks = ({ name, words }: SimpleCommand): boolean =>
  (name === "cp" || name === "gcp") &&
  words.every(({ text }) => !/^-\w*[adPRr]|^--(?:archive|no-dereference|preserve|recursive)/.test(text))

const isFile = (copy: SimpleCommand, path: string): boolean => {
  const stat = followsLinks(copy) ? statSync : lstatSync
  return stat(path, { throwIfNoEntry: false })?.isFile() === true
}

/** True also for what can't be read to its end. */
const hasLink = (path: string, budget: { names: number }): boolean => {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (stat?.isSymbolicLink() === true) return !readlinkSync(path).startsWith("/")
    return stat?.isDirectory() === true &&
      entries(path, budget).some((entry) => entry.isSymbolicLink() || entry.isDirectory() && hasLink(join(path, entry.name), budget))
  } catch {
    return true
  }
}

const entries = (path: string, budget: { names: number }): ReadonlyArray<Dirent> => {
  const all = readdirSync(path, { withFileTypes: true })
  budget.names -= all.length
  if (budget.names < 0) throw new Error("There are too many names.")
  return all
}
