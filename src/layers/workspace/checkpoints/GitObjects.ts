/**
 * Commits and refs, written as git writes them: a process for each would cost as much as scanning the files. Formats:
 * git's gitformat-loose-object(5), and gitrepository-layout(5) for refs.
 */
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { deflateSync } from "node:zlib"

export interface Commit {
  readonly tree: string
  readonly parent: string | undefined
  readonly message: string
  /** ms since the epoch. */
  readonly time: number
}

/** Writes a commit with a neutral author and returns its id. */
export const commit = (folder: string, { message, parent, time, tree }: Commit): string => {
  const author = `dacapo <dacapo@localhost> ${Math.floor(time / 1000)} +0000`
  const lines = [
    `tree ${tree}`,
    ...(parent === undefined ? [] : [`parent ${parent}`]),
    `author ${author}`,
    `committer ${author}`,
    "",
    message
  ]
  const content = Buffer.from(lines.join("\n"))
  const object = Buffer.concat([Buffer.from(`commit ${content.length}\0`), content])
  const id = createHash("sha1").update(object).digest("hex")
  const file = join(folder, "objects", id.slice(0, 2), id.slice(2))
  if (!fs.existsSync(file)) writeAtomically(file, deflateSync(object), 0o444)
  return id
}

/** Moves a ref from one commit to the next; throws if it is not at `before`. A session is written by one process at a time. */
export const updateRef = (folder: string, ref: string, id: string, before: string | undefined): void => {
  const file = join(folder, ref)
  const current = fs.existsSync(file) ? fs.readFileSync(file, "utf8").trim() : undefined
  if (current !== before) throw new Error(`${ref} is at ${current ?? "nothing"}, not at ${before ?? "nothing"}`)
  writeAtomically(file, Buffer.from(`${id}\n`), 0o644)
}

/** Old or new, never half. */
const writeAtomically = (file: string, bytes: Uint8Array, mode: number): void => {
  fs.mkdirSync(dirname(file), { recursive: true })
  fs.writeFileSync(`${file}.new`, bytes, { mode })
  fs.renameSync(`${file}.new`, file)
}
