/** Folders that git treats as a repository because of their content (gitrepository-layout(5)), whatever their names. */
import { existsSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import * as Root from "../../../domain/workspace/Root.ts"

/** The path of a file as one of `.git`, if its folder or one above it is a repository: the same rules apply to it. */
export const asGitPath = (roots: ReadonlyArray<string>, file: string): string => {
  for (let folder = dirname(file); roots.some((root) => Root.contains(root, folder)); folder = dirname(folder)) {
    if (existsSync(join(folder, "HEAD")) && ["commondir", "objects", "refs"].some((name) => existsSync(join(folder, name))))
      return join(folder, ".git", relative(folder, file))
    if (dirname(folder) === folder) break
  }
  return file
}
