/** What a session knows of files, updated by its events: their hashes as last seen, and who touched them when. */
import type { Content } from "../message/Message.ts"
import * as FileState from "../workspace/FileState.ts"
import * as ToolCalls from "./ToolCalls.ts"
import type { ChangedFile, IncludedFile, Settled } from "./SessionEvent.ts"
import type { Session } from "./SessionState.ts"

type FileKnowledge = Pick<Session, "files" | "fileStates">
type PlanState = FileKnowledge & Pick<Session, "calls" | "facts">

/** After a file was read or changed: the session has not seen later changes by others. */
export const afterTouch = (
  { files, fileStates }: FileKnowledge,
  { by, hash, kind, path }: Extract<Settled, { readonly _tag: "FileTouched" }>,
  time: number
): Partial<FileKnowledge> =>
  by === "agent"
    ? { files: new Map(files).set(path, hash), fileStates: FileState.afterTouch(fileStates, { path, kind }, time) }
    : { fileStates: FileState.afterUserChange(fileStates, [path], time) }

/** After the user's message, which may attach files. */
export const afterUserInput = (
  { files, fileStates }: FileKnowledge,
  parts: ReadonlyArray<Content>,
  time: number
): Partial<FileKnowledge> => {
  const touches = parts.flatMap((part) => part._tag === "Text" ? part.touched ?? [] : [])
  return touches.length === 0 ? {} : {
    files: new Map([...files, ...touches.map(({ hash, path }) => [path, hash] as const)]),
    fileStates: touches.reduce((fileStates, touch) => FileState.afterTouch(fileStates, touch, time), fileStates)
  }
}

/**
 * After a request, which may include files automatically and report others as changed: by someone else, unless one of
 * our commands ran.
 */
export const afterRequest = (
  { calls, facts, files, fileStates }: PlanState,
  included: ReadonlyArray<IncludedFile>,
  changed: ReadonlyArray<ChangedFile>,
  time: number
): Partial<FileKnowledge> => {
  if (included.length + changed.length === 0) return {}
  const newChanges = ToolCalls.hasRunCommand(calls) ? [] : changed.filter((change) => !isReported(facts?.changed, change))
  const updatedStates = FileState.afterUserChange(fileStates, newChanges.map(({ path }) => path), time)
  return {
    files: new Map([...files, ...included.map(({ hash, path }) => [path, hash] as const)]),
    fileStates: included.reduce((fileStates, { path }) => FileState.afterRead(fileStates, path, time), updatedStates)
  }
}

/** Whether this very change was reported before. */
export const isReported = (reported: ReadonlyArray<ChangedFile> = [], { hash, path }: ChangedFile): boolean =>
  reported.some((change) => change.path === path && change.hash === hash)
