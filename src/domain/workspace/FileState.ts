/** What a session knows of a file beside its hash: when it was last touched, and by whom. */
import type { Touch } from "./Touch.ts"

/**
 * Times in ms since the epoch: the model was last shown it (`read`), a tool of ours changed it (`agent`), someone else did
 * (`user`). `times`: how often it was read, named or edited.
 */
export interface FileState {
  readonly read?: number
  readonly agent?: number
  readonly user?: number
  readonly times: number
}

/** By the one name of each file in the session (PathName). */
export type Tracked = ReadonlyMap<string, FileState>

const unknown: FileState = { times: 0 }

/** After a file was read, named or edited by us. */
export const touched = (tracked: Tracked, { kind, path }: Pick<Touch, "kind" | "path">, time: number): Tracked => {
  const before = tracked.get(path) ?? unknown
  return new Map(tracked).set(path, { ...before, [kind === "read" ? "read" : "agent"]: time, times: before.times + 1 })
}

/** After it was shown because it seemed to matter: that says nothing of how often it does. */
export const shown = (tracked: Tracked, path: string, time: number): Tracked =>
  new Map(tracked).set(path, { ...tracked.get(path) ?? unknown, read: time })

/** After someone else changed files. */
export const changed = (tracked: Tracked, paths: ReadonlyArray<string>, time: number): Tracked =>
  paths.length === 0 ? tracked : new Map([...tracked, ...paths.map((path) => [path, { ...tracked.get(path) ?? unknown, user: time }] as const)])

/** When it was last touched by anyone; undefined for a file that nobody touched. */
export const last = ({ agent = 0, read = 0, user = 0 }: FileState): number | undefined => Math.max(agent, read, user) || undefined
