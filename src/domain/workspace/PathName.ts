/** The canonical name of a file in a session: relative to its folder if inside it, absolute elsewhere, `/` between. */

/** `./src/../a.ts`, `a.ts` and `/repo/a.ts` are all `a.ts` in `/repo`; the folder itself is `.`. */
export const relativePath = (cwd: string, path: string): string => {
  const folder = normalizePath(cwd)
  const fullPath = normalizePath(path.startsWith("/") ? path : `${folder}/${path}`)
  if (fullPath === folder) return "."
  return fullPath.startsWith(folder === "/" ? "/" : `${folder}/`) ? fullPath.slice(folder.length + (folder === "/" ? 0 : 1)) : fullPath
}

/** A name on a line of its own, whatever it contains: one with control characters is quoted. */
export const singleLinePath = (path: string): string => /[\x00-\x1f\x7f-\x9f\u2028\u2029]/.test(path) ? JSON.stringify(path) : path

/** An absolute path without `.`, `..`, doubled or trailing slashes; links are not followed. */
export const normalizePath = (path: string): string => {
  const names: Array<string> = []
  for (const name of path.split("/")) {
    if (name === "..") names.pop()
    else if (name !== "" && name !== ".") names.push(name)
  }
  return `/${names.join("/")}`
}
