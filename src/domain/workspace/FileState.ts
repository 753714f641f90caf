/** What a session knows of a file besides its hash: when it was last touched, and by whom. */
import type { Touch } from "./Touch.ts"

/**
 * Times in ms since the epoch: the model was last shown it (`read`), one of our tools changed it (`agent`), someone
 * else did (`user`). `useCount`: how many times it was read, named or edited.
 */
export interface FileState {
  readonly read?: number
  readonly agent?: number
  readonly user?: number
  readonly useCount: number
}

/** By each file's canonical name in the session (PathName). */
export type FileStates = ReadonlyMap<string, FileState>

const untouched: FileState = { useCount: 0 }

/** After we read or edited a file, or the user named it. */
export const afterTouch = (fileStates: FileStates, { kind, path }: Pick<Touch, "kind" | "path">, time: number): FileStates => {
  const previous = fileStates.get(path) ?? untouched
  return new Map(fileStates).set(path, { ...previous, [kind === "read" ? "read" : "agent"]: time, useCount: previous.useCount + 1 })
}

/** After an automatic inclusion, which does not count as a use. */
export const afterRead = (fileStates: FileStates, path: string, time: number): FileStates =>
  new Map(fileStates).set(path, { ...fileStates.get(path) ?? untouched, read: time })

/** After someone else changed files. */
export const afterUserChange = (fileStates: FileStates, paths: ReadonlyArray<string>, time: number): FileStates =>
  paths.length === 0 ? fileStates : new Map([
    ...fileStates,
    ...paths.map((path) => [path, { ...fileStates.get(path) ?? untouched, user: time }] as const)
  ])

/** When it was last touched by anyone; undefined for a file that nobody touched. */
export const lastTouch = ({ agent = 0, read = 0, user = 0 }: FileState): number | undefined => Math.max(agent, read, user) || undefined
