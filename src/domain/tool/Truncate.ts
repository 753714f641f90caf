/** The head and the tail of a text that may be endless, within a bound of characters. */

/** Belongs to the push that takes it. */
export interface State {
  readonly keep: number
  head: string
  tail: string
  /** Characters that came after the head. */
  after: number
}

export const initial = (keep: number): State => ({ keep, head: "", tail: "", after: 0 })

/** Adds text; memory stays within three times `keep`. */
export const push = (state: State, text: string): State => {
  const half = Math.ceil(state.keep / 2)
  const room = state.after > 0 ? 0 : half - state.head.length
  state.head += text.slice(0, room)
  const rest = room > 0 ? text.slice(room) : text
  if (rest === "") return state
  state.after += rest.length
  state.tail += rest
  if (state.tail.length > 2 * half) state.tail = state.tail.slice(-half)
  return state
}

/**
 * The whole text, or both its ends around a line that says how much is missing. `cut` counts the characters left
 * out; the ends begin and finish at lines where a line is near.
 */
export const result = (state: State): { readonly text: string; readonly cut: number } => {
  const room = state.keep - state.head.length
  if (state.after <= room) return { text: state.head + state.tail.slice(-state.after || state.tail.length), cut: 0 }
  const head = wholeEnd(state.head)
  const tail = wholeStart(room > 0 ? state.tail.slice(-room) : "")
  const cut = state.head.length + state.after - head.length - tail.length
  return { text: `${head}${head === "" || head.endsWith("\n") ? "" : "\n"}[… ${cut} characters cut …]\n${tail}`, cut }
}

/** How far an end is moved to fall on a line's end. */
const near = 400

const wholeEnd = (head: string): string => {
  const at = head.lastIndexOf("\n") + 1
  return at > 0 && head.length - at <= near ? head.slice(0, at) : head.replace(/[\ud800-\udbff]$/, "")
}

const wholeStart = (tail: string): string => {
  const at = tail.indexOf("\n") + 1
  return at > 0 && at <= near && at < tail.length ? tail.slice(at) : tail.replace(/^[\udc00-\udfff]/, "")
}
