/** The one name of a file in a session: relative to its folder where it lies inside, absolute elsewhere, `/` between. */

/** `./src/../a.ts`, `a.ts` and `/repo/a.ts` are all `a.ts` in `/repo`; the folder itself is `.`. */
export const of = (cwd: string, path: string): string => {
  const folder = normal(cwd)
  const full = normal(path.startsWith("/") ? path : `${folder}/${path}`)
  if (full === folder) return "."
  return full.startsWith(folder === "/" ? "/" : `${folder}/`) ? full.slice(folder.length + (folder === "/" ? 0 : 1)) : full
}

/** A name on a line of its own, whatever it holds: one with control characters is quoted. */
export const line = (path: string): string => /[\x00-\x1f\x7f-\x9f\u2028\u2029]/.test(path) ? JSON.stringify(path) : path

/** An absolute path without `.`, `..`, doubled or trailing slashes; links are not followed. */
export const normal = (path: string): string => {
  const names: Array<string> = []
  for (const name of path.split("/")) {
    if (name === "..") names.pop()
    else if (name !== "" && name !== ".") names.push(name)
  }
  return `/${names.join("/")}`
}
