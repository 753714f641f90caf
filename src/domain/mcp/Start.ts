/**
 * A server's start configuration, for the decision whether it may start: everything that determines what runs, or what
 * is sent where.
 */
import type { Definition } from "./Definition.ts"

/** Values are as written, with `${NAME}` in them: secrets are neither shown nor part of the approval. */
export interface ServerStart {
  readonly definition: Definition
  /** Where the program is, and where its links lead; undefined if it is not found, and for remote servers. */
  readonly program: { readonly path: string; readonly real: string } | undefined
  /** The folder in which it starts, absolute. */
  readonly cwd: string
  /** Scheme, host and port of the expanded address; undefined for local servers. */
  readonly origin: string | undefined
}

/**
 * The parts that an approval is bound to, in a fixed order. Folders inside the session's own are relative to it, so
 * that the approval also applies in a worktree.
 */
export const approvalParts = (
  { cwd, definition: { exclude, include, name, oauth, transport }, origin, program }: ServerStart,
  folder: string
) => {
  const relativePath = (path: string) => path === folder ? "." : path.startsWith(`${folder}/`) ? `.${path.slice(folder.length)}` : path
  const sortedEntries = (record: Readonly<Record<string, string>>) => Object.entries(record).sort(([a], [b]) => a < b ? -1 : 1)
  return transport._tag === "Stdio"
    ? [
      name,
      "stdio",
      transport.command,
      transport.args,
      sortedEntries(transport.env),
      relativePath(cwd),
      program === undefined ? null : [relativePath(program.path), relativePath(program.real)],
      include ?? null,
      exclude
    ]
    : transport._tag === "Program"
    ? [name, "program", include ?? null, exclude]
    : [name, transport._tag, transport.url, origin ?? null, sortedEntries(transport.headers), oauth ?? null, include ?? null, exclude]
}

/** In sentences, what its definition alone does not show: the program, the folder, what is sent with each request. */
export const details = ({ cwd, definition: { oauth, transport }, origin, program }: ServerStart): ReadonlyArray<string> => {
  if (transport._tag === "Stdio") {
    const linkNote = program === undefined || program.real === program.path ? "" : ` (a link to ${program.real})`
    return [
      program === undefined ? `Program: ${transport.command}, which was not found` : `Program: ${program.path}${linkNote}`,
      `Folder: ${cwd}`
    ]
  }
  if (transport._tag === "Program") return []
  const headers = Object.entries(transport.headers).map(([name, value]) => `${name}: ${value}`)
  return [
    ...(origin === undefined || transport.url.startsWith(origin) ? [] : [`Address: ${origin}`]),
    ...(headers.length === 0 ? [] : [`Headers: ${headers.join(", ")}`]),
    ...(oauth === undefined ? [] : [`Login: ${JSON.stringify(oauth)}`])
  ]
}
