/** Paths as text: resolved without looking at a disk. What links do is the workspace's part, told by `resolvedPath`. */

/** Stands for a root or a home that nobody gave: no real path is under it. */
export const unknownRoot = "/\u0000root"
export const unknownHome = "/\u0000home"

/** An absolute path without `.`, `..` and empty segments. Backslashes and percent signs are plain characters. */
export const resolve = (base: string, path: string): string => {
  const whole = path.startsWith("/") ? path : base === "/" ? `/${path}` : `${base}/${path}`
  if (!unresolved.test(whole)) return whole
  const out: Array<string> = []
  for (const segment of whole.split("/")) {
    if (segment === "..") out.pop()
    else if (segment !== "" && segment !== ".") out.push(segment)
  }
  return `/${out.join("/")}`
}

/** An empty segment, `.` or `..`; most paths have none. */
const unresolved = /\/\.{0,2}(?:\/|$)|^(?!\/)/

/** `~` and `~/x` lead home. */
export const expandHome = (path: string, home: string): string =>
  path === "~" ? home : path.startsWith("~/") ? `${home}/${path.slice(2)}` : path

/** As a shell does it: `~name`, `~+` and the like lead to folders that are not known here. */
export const expandTilde = (path: string, home: string): string =>
  path.startsWith("~") && !/^~(?:\/|$)/.test(path) ? `${unknownHome}/${path}` : expandHome(path, home)

/** True for the folder itself and all beneath it. */
export const isInside = (folder: string, path: string): boolean =>
  folder === "/" || path === folder || (path.startsWith(folder) && path.charCodeAt(folder.length) === 47)

export const isInsideAny = (folders: ReadonlyArray<string>, path: string): boolean =>
  folders.some((folder) => isInside(folder, path))
