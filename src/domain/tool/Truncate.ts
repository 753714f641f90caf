/** The head and the tail of a text of any length, within a limit of characters. */
/** Belongs to the push that receives it. */
export interface State {
  readonly maxCharacters: number
  head: string
  tail: string
  /** Characters received after the head. */
  restLength: number
}

export const initial = (maxCharacters: number): State => ({ maxCharacters, head: "", tail: "", restLength: 0 })

/** Adds text; memory stays within three times `maxCharacters`. */
export const push = (state: State, text: string): State => {
  const half = Math.ceil(state.maxCharacters / 2)
  const available = state.restLength > 0 ? 0 : half - state.head.length
  state.head += text.slice(0, available)
  const rest = available > 0 ? text.slice(available) : text
  if (rest === "") return state
  state.restLength += rest.length
  state.tail += rest
  if (state.tail.length > 2 * half) state.tail = state.tail.slice(-half)
  return state
}

/**
 * The complete text, or both its ends around a line that says how much is missing. `omittedCount` counts the characters left
 * out; the ends begin and finish at line boundaries if one is near.
 */
export const result = (state: State): { readonly text: string; readonly omittedCount: number } => {
  const available = state.maxCharacters - state.head.length
  if (state.restLength <= available) return { text: state.head + state.tail.slice(-state.restLength || state.tail.length), omittedCount: 0 }
  const head = trimToLineEnd(state.head)
  const tail = trimToLineStart(available > 0 ? state.tail.slice(-available) : "")
  const omittedCount = state.head.length + state.restLength - head.length - tail.length
  return { text: `${head}${head === "" || head.endsWith("\n") ? "" : "\n"}[… ${omittedCount} characters cut …]\n${tail}`, omittedCount }
}

/** How far an end may move to reach a line boundary. */
const maxShift = 400

const trimToLineEnd = (head: string): string => {
  const at = head.lastIndexOf("\n") + 1
  return at > 0 && head.length - at <= maxShift ? head.slice(0, at) : head.replace(/[\ud800-\udbff]$/, "")
}

const trimToLineStart = (tail: string): string => {
  const at = tail.indexOf("\n") + 1
  return at > 0 && at <= maxShift && at < tail.length ? tail.slice(at) : tail.replace(/^[\udc00-\udfff]/, "")
}

// Shortens text, with a count of what is missing.

/** At most about `maxCharacters` characters of `text`: its head and its tail, at line boundaries if one is near. */
export const middle = (text: string, maxCharacters: number): string =>
  text.length <= maxCharacters ? text : result(push(initial(maxCharacters), text)).text

/** One line of at most `maxCharacters` characters; never half a surrogate pair. */
export const line = (text: string, maxCharacters: number): string => {
  if (text.length <= maxCharacters) return text
  const end = isHigh(text.charCodeAt(maxCharacters - 1)) ? maxCharacters - 1 : maxCharacters
  return `${text.slice(0, end)} [… ${text.length - end} more characters]`
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
