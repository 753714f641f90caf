/** What a session knows of files, as events move it on: their hashes as it last saw them, and who touched them when. */
import type { Content } from "../message/Message.ts"
import * as FileState from "../workspace/FileState.ts"
import * as Calls from "./ToolCalls.ts"
import type { Changed, Included, Settled } from "./SessionEvent.ts"
import type { Session } from "./Session.ts"

type Known = Pick<Session, "files" | "tracked">
type Before = Known & Pick<Session, "calls" | "facts">

/** After a file was read or changed: what someone else makes of it, the session has not seen. */
export const touched = (
  { files, tracked }: Known,
  { by, hash, kind, path }: Extract<Settled, { readonly _tag: "FileTouched" }>,
  time: number
): Partial<Known> =>
  by === "agent"
    ? { files: new Map(files).set(path, hash), tracked: FileState.touched(tracked, { path, kind }, time) }
    : { tracked: FileState.changed(tracked, [path], time) }

/** After the user's words, which may bring files with them. */
export const told = ({ files, tracked }: Known, parts: ReadonlyArray<Content>, time: number): Partial<Known> => {
  const touched = parts.flatMap((part) => part._tag === "Text" ? part.touched ?? [] : [])
  return touched.length === 0 ? {} : {
    files: new Map([...files, ...touched.map(({ hash, path }) => [path, hash] as const)]),
    tracked: touched.reduce((tracked, touch) => FileState.touched(tracked, touch, time), tracked)
  }
}

/** After a request, which may show files by itself, and tell of some that they changed: by someone else, unless a command of ours ran. */
export const shown = (
  { calls, facts, files, tracked }: Before,
  included: ReadonlyArray<Included>,
  changed: ReadonlyArray<Changed>,
  time: number
): Partial<Known> => {
  if (included.length + changed.length === 0) return {}
  const fresh = Calls.commanded(calls) ? [] : changed.filter((one) => !isKnown(facts?.changed, one))
  const after = FileState.changed(tracked, fresh.map(({ path }) => path), time)
  return {
    files: new Map([...files, ...included.map(({ hash, path }) => [path, hash] as const)]),
    tracked: included.reduce((tracked, { path }) => FileState.shown(tracked, path, time), after)
  }
}

/** Whether this very change was told before. */
export const isKnown = (told: ReadonlyArray<Changed> = [], { hash, path }: Changed): boolean =>
  told.some((one) => one.path === path && one.hash === hash)
