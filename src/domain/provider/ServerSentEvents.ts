/**
 * Server-sent events as model providers use them: only their data matters. After
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream. A long response has a hundred thousand
 * lines, and reading them character by character would double the cost of parsing.
 */

/** `push` mutates the state. `problem` says why nothing more can be read. */
export interface State {
  /** The pieces of the incomplete line, and their length in UTF-16 units. */
  line: Array<string>
  lineLength: number
  /** The data of the incomplete event; undefined if it has none. */
  data: string | undefined
  /** The text so far ended with a carriage return: a line feed after it does not end another line. */
  endsWithCr: boolean
  problem: string | undefined
}

export const initial = (): State => ({ line: [], lineLength: 0, data: undefined, endsWithCr: false, problem: undefined })

/** The maximum length of an event, in UTF-16 units. */
const maxEventLength = 16 * 1024 * 1024

/** The data of the events that this text completes. Linear in the length of the text, however it is split. */
export const push = (state: State, text: string): readonly [State, ReadonlyArray<string>] => {
  const events: Array<string> = []
  const lines = normalized(state, text)
  let start = 0
  for (let end = lines.indexOf("\n"); end !== -1; end = lines.indexOf("\n", start)) {
    read(state, completedLine(state, lines.slice(start, end)), events)
    start = end + 1
  }
  if (start < lines.length) {
    state.line.push(lines.slice(start))
    state.lineLength += lines.length - start
  }
  if (state.lineLength + (state.data?.length ?? 0) > maxEventLength) state.problem = `an event of more than ${maxEventLength >> 20} MB`
  return [state, events]
}

/** The text with line feeds as the only line breaks. */
const normalized = (state: State, text: string): string => {
  const remainder = state.endsWithCr && text.startsWith("\n") ? text.slice(1) : text
  if (text !== "") state.endsWithCr = text.endsWith("\r")
  return remainder.includes("\r") ? remainder.replaceAll(/\r\n?/g, "\n") : remainder
}

/** The line that ends with this piece. */
const completedLine = (state: State, piece: string): string => {
  if (state.line.length === 0) return piece
  const line = state.line.join("") + piece
  state.line = []
  state.lineLength = 0
  return line
}

const COLON = 58
const SPACE = 32

/** An empty line ends an event; fields other than data, and comments, are ignored. */
const read = (state: State, line: string, events: Array<string>): void => {
  if (line === "") {
    if (state.data !== undefined) events.push(state.data)
    state.data = undefined
  } else if (line.startsWith("data") && (line.length === 4 || line.charCodeAt(4) === COLON)) {
    const value = line.slice(line.charCodeAt(5) === SPACE ? 6 : 5)
    state.data = state.data === undefined ? value : `${state.data}\n${value}`
  }
}
