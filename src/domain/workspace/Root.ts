/** Rules for paths in a workspace, as text: what is a usable path, what lies inside a root, what is never written. */

/** Why a text is not a usable path; undefined if it is. Nothing is expanded or decoded: `%2f` is a name. */
export const refusal = (path: string): string | undefined =>
  path === "" ? "The path is empty."
    : control.test(path) ? "The path contains a control character."
    : /^~(?:$|[^/]*\/)/.test(path) ? "`~` is not expanded: write the full path."
    : /^[a-z][a-z0-9+.-]*:\/\//i.test(path) ? "Expected a path, not a URL."
    : path.length > maxCharacters ? `The path is longer than ${maxCharacters} characters.`
    : undefined

const control = /[\x00-\x1f\x7f\u0080-\u009f]/

/** PATH_MAX on Linux. */
const maxCharacters = 4096

/** Whether an absolute, normalized path is the root or inside it. */
export const contains = (root: string, path: string): boolean => path === root || path.startsWith(root.endsWith("/") ? root : `${root}/`)

/** The folder that a folder in one of our worktrees stands for: what applies to one applies to the other. */
export const origin = (folder: string): string => folder.replace(/\/\.dacapo\/worktrees\/[^/]+(?=\/|$)/, "")

/**
 * Whether a path goes through a `.git` (a repository's, a nested one's, or the file that points to one), in any
 * spelling that some file system accepts for it: other letter case, dots, spaces or a stream name at the end, code
 * points that HFS+ ignores, the short name of NTFS.
 */
export const isProtected = (path: string): boolean => path.split("/").some(isGit)

const isGit = (name: string): boolean => {
  if (!plausibleName.test(name)) return false
  const normalizedName = name.normalize("NFKC").replace(ignorable, "").replace(/:.*$/, "").replace(/[. ]+$/, "").toLowerCase()
  return normalizedName === ".git" || normalizedName === "git~1"
}

/** A quick test: a name of plain letters with another beginning is not one, and most names are such. */
const plausibleName = /^[.g]|[^\x20-\x7e]/i

const ignorable = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g
