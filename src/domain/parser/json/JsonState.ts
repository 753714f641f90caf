/** What the readers of JSON share: the value so far, their position in it, and the notes made. */
import * as Data from "effect/Data"
import type * as Schema from "effect/Schema"
import type * as TextBuffer from "../TextBuffer.ts"
import * as Tree from "./JsonTree.ts"

/** A repair of the text, and where (UTF-16 units from its start). */
export interface Repair {
  readonly position: number
  readonly path: Tree.Path
  readonly what: string
}

/** A position in the value; its path is computed on request. */
export interface TreePosition {
  readonly frame: Tree.Frame | undefined
  readonly key: Tree.Frame["key"]
}

export interface Note extends TreePosition {
  readonly position: number
  readonly what: string
}

export interface Growth extends TreePosition {
  readonly text: string
  readonly previous: Growth | undefined
}

export const path = ({ frame, key }: TreePosition): Tree.Path => Tree.path(frame, key)

/** The notes; many share few positions, so paths are computed when they are read. */
export const repair = (note: Note): Repair => ({
  position: note.position,
  what: note.what,
  get path() {
    return path(note)
  }
})

const currentPosition = ({ frame }: State): TreePosition => ({ frame, key: frame?.key })

/** Reads from `at` and returns where it stopped; `at` itself only after a change of mode. */
export type Mode = (state: State, text: string, at: number) => number

export interface State {
  readonly maxDepth: number
  /** The current reader; what it reads decides which reader is next. */
  mode: Mode
  /** Units before the current piece. */
  offset: number
  root: Schema.Json | undefined
  frame: Tree.Frame | undefined
  readonly notes: Array<Note>
  /** The limit that stopped the reading. */
  stopCause: { readonly reason: "depth" | "size"; readonly position: number; readonly place: TreePosition } | undefined
  /** The string being read. */
  readonly text: TextBuffer.TextBuffer
  /** The number or word being read. */
  token: string
  start: number
  /** `"` or `'`. */
  quote: 34 | 39
  isKey: boolean
  /** What continues after the string, and after the comment. */
  next: Mode
  resume: Mode
  /** The part of the current string that is not in `text` yet. */
  delta: string
  /** The strings that have grown in this push, the last one first. */
  growth: Growth | undefined
  /** The digits of a \u escape. */
  digits: string
}

/** Notes that the text is not JSON here. */
export const note = (state: State, at: number, what: string): void => {
  state.notes.push({ ...currentPosition(state), position: state.offset + at, what })
}

/** Like `note`, for repairs that may occur thousands of times: of one kind in one place, the first counts. */
export const noteOnce = (state: State, at: number, what: string): void => {
  const last = state.notes.at(-1)
  if (last?.what !== what || last.frame !== state.frame || last.key !== state.frame?.key) note(state, at, what)
}

/** Puts a value at the current position. */
export const put = (state: State, value: Schema.Json): void => {
  if (state.frame === undefined) state.root = value
  else Tree.put(state.frame, value)
}

/** Stops reading. */
export const stop = (state: State, reason: "depth" | "size", at: number): void => {
  state.stopCause ??= { reason, position: state.offset + at, place: currentPosition(state) }
  state.mode = ignore
}

/** Reads nothing. */
export const ignore: Mode = (_, text) => text.length

/** Records that the string at this position grew. */
export const recordGrowth = (state: State, text: string): void => {
  const { frame, growth } = state
  if (text !== "") state.growth = { frame, key: frame?.key, text, previous: growth }
}

/**
 * Why JSON could not be read.
 *
 * `incomplete`: the text ended too early; `syntax`: it is broken; `depth` and `size`: it is over the limits. `position`
 * counts UTF-16 units from the start, `path` names the value being read there, `partial` is what could be saved (absent
 * if nothing could). No schema: `partial` may be large, and contain the Infinity that JSON.parse makes of 1e999.
 */
export class JsonError extends Data.TaggedError("JsonError")<{
  readonly reason: "incomplete" | "syntax" | "depth" | "size"
  readonly message: string
  readonly position: number
  readonly path: Tree.Path
  readonly partial?: Schema.Json
}> {}
