/** The folders in which the shell may be, before and after a command. */
import type { Word } from "./Syntax.ts"

/** Folders as paths from where the program starts; undefined when unknown. */
export type Folders = ReadonlyArray<string> | undefined

/** Where the shell may be after a node: if it succeeded, and in any case. */
export interface FolderState {
  readonly success: Folders
  readonly any: Folders
}

interface Start {
  readonly folders: Folders
}

export const sameFolders = ({ folders }: Start): FolderState => ({ success: folders, any: folders })

export const union = (a: Folders, b: Folders): Folders => {
  if (a === undefined || b === undefined) return undefined
  if (a === b) return a
  const all = [...new Set([...a, ...b])]
  return all.length > 16 ? undefined : all
}

/** The path as the shell's own `cd` reads it. */
const withoutParents = (path: string): string => {
  if (!/(?:^|\/)\.\.(?:\/|$)/.test(path)) return path
  const names: Array<string> = []
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue
    if (name === ".." && names.length > 0 && !/^(?:\.\.|~.*)$/.test(names.at(-1)!)) names.pop()
    else if (name !== ".." || !path.startsWith("/")) names.push(name)
  }
  return path.startsWith("/") ? `/${names.join("/")}` : names.join("/")
}

/** After `cd folder`. */
export const foldersAfterCd = (words: ReadonlyArray<Word>, { folders }: Start): FolderState => {
  const target = words.slice(1).find(({ text }) => !/^-[LPe@]+$|^--$/.test(text))
  const path = target?.kind === "literal" || target?.kind === "tilde" ? target.text : undefined
  if (path === undefined || path === "-" || path === "" || folders === undefined) return { success: undefined, any: undefined }
  const targets = /^[/~]/.test(path) ? [path] : folders.map((folder) => folder === "" ? path : `${folder}/${path}`)
  // The shell removes `..` with the name before it, a program follows a link first.
  const success = union(targets, targets.map(withoutParents))
  return { success, any: union(folders, success) }
}
