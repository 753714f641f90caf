/** Comments, which are not JSON: dropped wherever white space may stand. */
import { type Mode, note, type State } from "./JsonState.ts"

const STAR = 42
const SLASH = 47

/** A comment may begin at the slash. */
export const open = (state: State, at: number): number => {
  note(state, at, "comment dropped")
  state.resume = state.mode
  state.mode = comment
  return at + 1
}

/** After the first slash. */
const comment: Mode = (state, text, at) => {
  const unit = text.charCodeAt(at)
  state.mode = unit === SLASH ? lineComment : unit === STAR ? blockComment : state.resume
  return unit === SLASH || unit === STAR ? at + 1 : at
}

const lineComment: Mode = (state, text, at) => {
  const end = text.indexOf("\n", at)
  if (end !== -1) state.mode = state.resume
  return end === -1 ? text.length : end + 1
}

const blockComment: Mode = (state, text, at) => {
  const end = text.indexOf("*", at)
  if (end !== -1) state.mode = star
  return end === -1 ? text.length : end + 1
}

/** After a star in a comment. */
const star: Mode = (state, text, at) => {
  const unit = text.charCodeAt(at)
  if (unit === STAR) return at + 1
  state.mode = unit === SLASH ? state.resume : blockComment
  return at + 1
}

/** The current reader or, within a comment, the one that continues after it. */
export const activeMode = (state: State): Mode => modes.has(state.mode) ? state.resume : state.mode

const modes: ReadonlySet<Mode> = new Set([comment, lineComment, blockComment, star])
