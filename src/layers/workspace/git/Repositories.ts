/**
 * The git repositories inside a folder, located before each sandboxed command: a folder is read again only when its
 * time stamp has changed.
 */
import * as fs from "node:fs"

/** The maximum number of folders to read; in a larger tree deeper repositories are missed. */
const maxFolders = 4_000

/** Third-party packages, in which nobody runs git. */
const skippedFolders: ReadonlySet<string> = new Set(["node_modules"])

interface FolderEntry {
  readonly modified: number
  readonly folders: ReadonlyArray<string>
  readonly git: string | undefined
}

/** Returns the `.git` of each repository below a root, relative to it and nearest first; not that of the root itself. */
export const finder = (): (root: string) => ReadonlyArray<string> => {
  const cache = new Map<string, FolderEntry>()

  const read = (path: string): FolderEntry | undefined => {
    try {
      const modified = fs.statSync(path).mtimeMs
      const previous = cache.get(path)
      if (previous?.modified === modified) return previous
      const entries = fs.readdirSync(path, { withFileTypes: true })
      const git = entries.find(({ name }) => name.toLowerCase() === ".git")?.name
      const folders = entries.filter((entry) => entry.isDirectory() && entry.name !== git && !skippedFolders.has(entry.name)).map((
        { name }
      ) => name)
      const current = { modified, folders, git }
      cache.set(path, current)
      return current
    } catch {
      return undefined
    }
  }

  return (root) => {
    const repositories: Array<string> = []
    const folders = [""]
    for (let i = 0; i < folders.length && i < maxFolders; i++) {
      const folder = folders[i]!
      const entry = read(`${root}/${folder}`)
      if (entry === undefined) continue
      if (entry.git !== undefined && folder !== "") repositories.push(`${folder}/${entry.git}`)
      for (const name of entry.folders) folders.push(folder === "" ? name : `${folder}/${name}`)
    }
    return repositories
  }
}
