/**
 * Server-sent events as models send them: the data of each is all that is used. After
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream. A long answer is a hundred thousand
 * lines, and reading their letters one by one would cost as much as what stands in them.
 */

/** A state belongs to the push that takes it. `wrong` says why nothing more can be read. */
export interface State {
  /** The line that has not ended, in the pieces in which it came, and the UTF-16 units of them. */
  line: Array<string>
  held: number
  /** Of the event that has not ended; undefined where it has none. */
  data: string | undefined
  /** The text so far ended with a carriage return: a line feed behind it ends no other line. */
  returned: boolean
  wrong: string | undefined
}

export const initial = (): State => ({ line: [], held: 0, data: undefined, returned: false, wrong: undefined })

/** UTF-16 units of one event that is still incomplete; what grows beyond is no answer. */
const longest = 16 * 1024 * 1024

/** The data of the events that this text completes. Linear in the text, however it is cut. */
export const push = (state: State, text: string): readonly [State, ReadonlyArray<string>] => {
  const events: Array<string> = []
  const lines = fed(state, text)
  let at = 0
  for (let end = lines.indexOf("\n"); end !== -1; end = lines.indexOf("\n", at)) {
    read(state, ended(state, lines.slice(at, end)), events)
    at = end + 1
  }
  if (at < lines.length) {
    state.line.push(lines.slice(at))
    state.held += lines.length - at
  }
  if (state.held + (state.data?.length ?? 0) > longest) state.wrong = `an event of more than ${longest >> 20} MB`
  return [state, events]
}

/** The text with line feeds as the only ends of lines. */
const fed = (state: State, text: string): string => {
  const rest = state.returned && text.startsWith("\n") ? text.slice(1) : text
  if (text !== "") state.returned = text.endsWith("\r")
  return rest.includes("\r") ? rest.replaceAll(/\r\n?/g, "\n") : rest
}

/** The line that ends with this piece. */
const ended = (state: State, piece: string): string => {
  if (state.line.length === 0) return piece
  const line = state.line.join("") + piece
  state.line = []
  state.held = 0
  return line
}

const COLON = 58
const SPACE = 32

/** An empty line ends an event; other fields than its data, and comments, are passed over. */
const read = (state: State, line: string, events: Array<string>): void => {
  if (line === "") {
    if (state.data !== undefined) events.push(state.data)
    state.data = undefined
  } else if (line.startsWith("data") && (line.length === 4 || line.charCodeAt(4) === COLON)) {
    const value = line.slice(line.charCodeAt(5) === SPACE ? 6 : 5)
    state.data = state.data === undefined ? value : `${state.data}\n${value}`
  }
}
