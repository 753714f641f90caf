/** Ignore files (gitignore syntax): which paths under a folder are left out, each file's patterns relative to its own folder. */
import ignore from "ignore"

/** Files that hide paths from listing and search. */
export const listingFiles = [".gitignore"]

/** Files that block paths for every tool. */
export const accessFiles = [".dacapoignore", ".clineignore"]

/** One ignore file: its folder (relative to the root, "" for the root itself) and its text. */
export interface Source {
  readonly folder: string
  readonly text: string
}

/** Whether a path (relative to the root, `/` between names) is left out by this file; undefined if no pattern applies. */
export type Rules = (path: string, isFolder: boolean) => boolean | undefined

/** `anyCase`: patterns match in any letter case, as on some file systems. A file with invalid patterns hides nothing. */
export const compile = ({ folder, text }: Source, { anyCase }: { readonly anyCase: boolean }): Rules => {
  const patterns = ignore({ ignorecase: anyCase }).add(text.replace(/^\ufeff/, ""))
  const prefix = folder === "" ? "" : `${folder}/`
  return (path, isFolder) => {
    if (!path.startsWith(prefix) || path.length === prefix.length) return undefined
    const { ignored, unignored } = patterns.test(path.slice(prefix.length) + (isFolder ? "/" : ""))
    return ignored ? true : unignored ? false : undefined
  }
}

/** The verdict of several files, outermost first: the innermost one with a verdict decides. */
export const isIgnored = (rules: ReadonlyArray<Rules>, path: string, isFolder: boolean): boolean => {
  for (let i = rules.length - 1; i >= 0; i--) {
    const verdict = rules[i]!(path, isFolder)
    if (verdict !== undefined) return verdict
  }
  return false
}
