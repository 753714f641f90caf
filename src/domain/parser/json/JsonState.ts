/** What the readers of JSON share: the value so far, where they are in it, and what had to be noted. */
import type * as Schema from "effect/Schema"
import type * as Rope from "../TextBuffer.ts"
import * as Tree from "./JsonTree.ts"

/** What was done to the text, and where (UTF-16 units from its start). */
export interface Repair {
  readonly position: number
  readonly path: Tree.Path
  readonly what: string
}

/** A place in the value; its path is told when it is asked for. */
export interface Place {
  readonly frame: Tree.Frame | undefined
  readonly key: Tree.Frame["key"]
}

export interface Note extends Place {
  readonly position: number
  readonly what: string
}

export interface Growth extends Place {
  readonly text: string
  readonly before: Growth | undefined
}

export const path = ({ frame, key }: Place): Tree.Path => Tree.path(frame, key)

/** What was noted, for those who ask; many notes stand in few places, so the path is told when it is read. */
export const repair = (note: Note): Repair => ({
  position: note.position,
  what: note.what,
  get path() {
    return path(note)
  }
})

const here = ({ frame }: State): Place => ({ frame, key: frame?.key })

/** Reads from `at` and gives where it stopped; `at` itself only after a change of mode. */
export type Mode = (state: State, text: string, at: number) => number

export interface State {
  readonly maxDepth: number
  /** Reads on; what it finds decides what reads next. */
  mode: Mode
  /** Units before the piece that is being read. */
  offset: number
  root: Schema.Json | undefined
  frame: Tree.Frame | undefined
  readonly notes: Array<Note>
  /** The limit that stopped the reading. */
  stopped: { readonly reason: "depth" | "size"; readonly position: number; readonly place: Place } | undefined
  /** The string being read. */
  readonly text: Rope.Rope
  /** The number or word being read. */
  token: string
  start: number
  /** `"` or `'`. */
  quote: 34 | 39
  isKey: boolean
  /** What reads on after the string, and after the comment. */
  next: Mode
  resume: Mode
  /** What of the string being read is not in `text` yet. */
  news: string
  /** The strings that have grown in this push, the last one first. */
  grown: Growth | undefined
  /** The digits of a \u escape. */
  digits: string
}

/** Says that the text is not JSON here. */
export const note = (state: State, at: number, what: string): void => {
  state.notes.push({ ...here(state), position: state.offset + at, what })
}

/** As `note`, for what may stand in thousands: of one kind in one place, the first counts. */
export const noteOnce = (state: State, at: number, what: string): void => {
  const last = state.notes.at(-1)
  if (last?.what !== what || last.frame !== state.frame || last.key !== state.frame?.key) note(state, at, what)
}

/** Puts a value where the reading is. */
export const put = (state: State, value: Schema.Json): void => {
  if (state.frame === undefined) state.root = value
  else Tree.put(state.frame, value)
}

/** Nothing is read any more. */
export const stop = (state: State, reason: "depth" | "size", at: number): void => {
  state.stopped ??= { reason, position: state.offset + at, place: here(state) }
  state.mode = ignore
}

/** Reads nothing. */
export const ignore: Mode = (_, text) => text.length

/** Says that the string in this place grew. */
export const grew = (state: State, text: string): void => {
  const { frame, grown } = state
  if (text !== "") state.grown = { frame, key: frame?.key, text, before: grown }
}
