/**
 * What the modes of the parser share: the state, the shape of a mode, and how a possible tag is held back until it is certain.
 *
 * A mode reads from its position and returns how far it came; what it reads decides which mode is next. So every unit
 * is read by one mode, or by two if a held tag turns out to be text.
 */
import type { Block, Callee, Grammar, Param, Table, Tag } from "./TagGrammar.ts"
import type * as PartWriter from "./PartWriter.ts"
import * as TagMatcher from "./TagMatcher.ts"
import type * as ParamValue from "./ParamValue.ts"

export interface Mode {
  /** Reads `text` from `at` and returns where it stopped; `at` itself only after a change of mode. */
  readonly read: (state: State, text: string, at: number) => number
  /** The stream ended here. */
  readonly end: (state: State) => void
}

/** A mode in which some tags count. Meanwhile `state.held` is the tag as written so far. */
export interface Context extends Mode {
  readonly onTag: (state: State, tag: Tag) => void
  /** The held text is not a tag. */
  readonly onNoTag: (state: State) => void
  /** The stream ended within the held text. */
  readonly onCut: (state: State, node: Table) => void
}

/** A run of backticks or tildes: what opens a code span or a fence, and closes it. */
export interface Marker {
  readonly unit: number
  readonly length: number
}

/** A tool call while it is read. */
export interface Call {
  readonly id: string
  readonly callee: Callee
  /** The parameters in the order in which they were opened; for a repeated name, the last counts. */
  readonly params: Array<readonly [name: string, value: ParamValue.Value]>
  readonly seenParams: Set<string>
  readonly warnings: Array<string>
  /** The parameter being read. */
  param: Param | undefined
  value: ParamValue.Value | undefined
  /** Text between parameters, since the last tag. */
  betweenText: string
  /** There is something to emit. */
  hasChanged: boolean
}

export interface State extends TagMatcher.Cursor<Tag> {
  readonly grammar: Grammar
  /** A fence whose first content is a call wraps it. */
  readonly hasWrappers: boolean
  readonly out: PartWriter.PartWriter
  /** What was dropped outside of calls. */
  readonly warnings: Array<string>
  /** The mode in which the text between calls is read: a call returns to it. */
  readonly outerMode: Context
  mode: Mode

  /** The tag that is being matched, as written so far, and the mode that waits for it. */
  pending: string
  context: Context
  /** The previous unit, where a doubled `<` matters: 0 after a tag. */
  previousUnit: number

  /** The line so far: determines whether a fence may begin. */
  line: string
  /** What opened the code span or fence that is open, or may be. */
  marker: Marker
  /** The most recent run of such units. */
  run: number
  /** The open fence is in a block quote, and ends with it. */
  isQuoted: boolean
  /** The mark of that quote has yet to come on this line. */
  isQuoteMarkDue: boolean
  /** The fence that wraps the calls being read. */
  wrapper: Marker | undefined

  /** Text whose meaning depends on what follows: the wrapping of a call, or the close of a raw parameter. */
  lead: string
  /** Of the wrapping: it began with a fence, and opens these blocks. */
  isFenced: boolean
  readonly leadBlocks: Set<Block>
  /** The blocks that are open. */
  readonly blocks: Set<Block>

  /** The close of the reasoning that is open. */
  reasoningEnd: Table | undefined
  call: Call | undefined
  /** The number of calls so far. */
  callCount: number
}

/** What may be a tag was read up to the end of the piece: holds it or, if it is complete, reports it to the context at once. */
export const holdTag = (state: State, context: Context, text: string): void => {
  state.pending = text
  state.context = context
  if (state.node?.tag === undefined) state.mode = pendingTag
  else context.onTag(state, state.node.tag)
}

/** A tag that was cut by the end of a piece. */
const pendingTag: Mode = {
  read: (state, text, at) => {
    const stop = TagMatcher.walk(state, text, at)
    state.pending += text.slice(at, stop)
    if (state.node === undefined) {
      state.mode = state.context
      state.context.onNoTag(state)
    } else if (state.node.tag !== undefined) {
      state.mode = state.context
      state.context.onTag(state, state.node.tag)
    }
    return stop
  },
  end: (state) => {
    if (state.node !== undefined) state.context.onCut(state, state.node)
  }
}

/** Reads data up to the next tag of `table`: common to every context but the prose. */
export const untilTag = (
  state: State,
  context: Context,
  table: Table,
  text: string,
  at: number,
  data: (state: State, piece: string) => void,
  opensOnly: boolean
): number => {
  let less = text.indexOf("<", at)
  while (less !== -1) {
    const isDoubled = opensOnly && (less > at ? text.charCodeAt(less - 1) : state.previousUnit) === TagMatcher.LESS
    state.node = isDoubled ? undefined : table
    const stop = TagMatcher.walk(state, text, less + 1)
    if (state.node !== undefined) {
      data(state, text.slice(at, less))
      holdTag(state, context, text.slice(less, stop))
      return stop
    }
    less = text.indexOf("<", stop)
  }
  data(state, at === 0 ? text : text.slice(at))
  return text.length
}
