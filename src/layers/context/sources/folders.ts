/** The folders from one up to the root. */
import * as PathName from "../../../domain/workspace/PathName.ts"

/** `/a/b`, `/a`, `` (the root, so that `${folder}/name` is always a path). */
export const ancestorFolders = (cwd: string): ReadonlyArray<string> => {
  const names = PathName.normalizePath(cwd).split("/").slice(1).filter((name) => name !== "")
  return [...names.keys(), names.length].map((n) => names.slice(0, names.length - n).map((name) => `/${name}`).join(""))
}
