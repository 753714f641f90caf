/** Rules for paths in a workspace, as text: what names a place at all, what lies inside a root, what is never written. */

/** Why a text is no path that can be used; undefined when it is one. Nothing is expanded or decoded: `%2f` is a name. */
export const refusal = (path: string): string | undefined =>
  path === "" ? "The path is empty."
  : control.test(path) ? "The path holds a control character."
  : /^~(?:$|[^/]*\/)/.test(path) ? "`~` is not expanded: write the path in full."
  : /^[a-z][a-z0-9+.-]*:\/\//i.test(path) ? "A path is expected, not a URL."
  : path.length > longest ? `The path is longer than ${longest} characters.`
  : undefined

const control = /[\x00-\x1f\x7f\u0080-\u009f]/

/** PATH_MAX on Linux. */
const longest = 4096

/** Whether an absolute, normalised path is the root or lies in it. */
export const contains = (root: string, path: string): boolean =>
  path === root || path.startsWith(root.endsWith("/") ? root : `${root}/`)

/** The folder that one in a worktree of ours stands for: what holds for the one holds for the other. */
export const origin = (folder: string): string => folder.replace(/\/\.dacapo\/worktrees\/[^/]+(?=\/|$)/, "")

/**
 * Whether a path goes through a `.git` (a repository's, a nested one's, or the file that points to one), in any
 * spelling that some file system takes for it: other letter case, dots, spaces or a stream name at the end,
 * code points that HFS+ ignores, the short name of NTFS.
 */
export const isProtected = (path: string): boolean => path.split("/").some(isGit)

const isGit = (name: string): boolean => {
  if (!plausible.test(name)) return false
  const plain = name.normalize("NFKC").replace(ignorable, "").replace(/:.*$/, "").replace(/[. ]+$/, "").toLowerCase()
  return plain === ".git" || plain === "git~1"
}

/** What may be one: a name of plain letters that begins otherwise is none, and most are. */
const plausible = /^[.g]|[^\x20-\x7e]/i

const ignorable = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g
