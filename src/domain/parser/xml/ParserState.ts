/**
 * What the modes of the parser share: the state, how a mode looks, and how a tag is held until it is certain.
 *
 * A mode reads on from where it is put and says how far it came; what it finds decides which mode is next. So every
 * unit is looked at by one mode, or by two where a held tag turns out to be none.
 */
import type { Call } from "./CallMode.ts"
import type { Block, Grammar, Table, Tag } from "./TagGrammar.ts"
import type * as Output from "./PartWriter.ts"
import * as Tags from "./TagMatcher.ts"

export interface Mode {
  /** Reads `text` from `at` and gives where it stopped; `at` itself only after a change of mode. */
  readonly read: (state: State, text: string, at: number) => number
  /** The stream ended here. */
  readonly end: (state: State) => void
}

/** A mode in which some tags count. Meanwhile `state.held` is the tag as far as it was written. */
export interface Context extends Mode {
  readonly found: (state: State, tag: Tag) => void
  /** The held text is no tag. */
  readonly missed: (state: State) => void
  /** The stream ended within the held text. */
  readonly cut: (state: State, node: Table) => void
}

/** A run of backticks or tildes: what opens a code span or a fence, and closes it. */
export interface Marker {
  readonly unit: number
  readonly length: number
}

export interface State extends Tags.Cursor<Tag> {
  readonly grammar: Grammar
  /** A fence whose first content is a call wraps it. */
  readonly wrappers: boolean
  readonly out: Output.Output
  /** What was dropped, of no call. */
  readonly warnings: Array<string>
  /** Where the text between calls is read: a call returns to it. */
  readonly outside: Context
  mode: Mode

  /** The tag that is being matched, as far as it was written, and the mode that waits for it. */
  held: string
  context: Context
  /** The unit read before, where a doubled `<` matters: 0 after a tag. */
  previous: number

  /** The line so far: says whether a fence may begin. */
  line: string
  /** What opened the code span or fence that is open, or may. */
  marker: Marker
  /** The run of such units that was read last. */
  run: number
  /** The fence that is open stands in a block quote, and ends with it. */
  quoted: boolean
  /** The mark of that quote has yet to come on this line. */
  due: boolean
  /** The fence that wraps the calls being read. */
  wrapper: Marker | undefined

  /** Text that what follows decides about: the wrapping of a call, or the close of a raw parameter. */
  lead: string
  /** Of the wrapping: it began with a fence, and opens these blocks. */
  fenced: boolean
  readonly leadBlocks: Set<Block>
  /** The blocks that are open. */
  readonly blocks: Set<Block>

  /** The close of the reasoning that is open. */
  reasoningEnd: Table | undefined
  call: Call | undefined
  /** How many calls there were. */
  calls: number
}

/** What may be a tag was read as far as the piece goes: holds it or, if it is whole, tells the context at once. */
export const hold = (state: State, context: Context, held: string): void => {
  state.held = held
  state.context = context
  if (state.node?.tag === undefined) state.mode = holding
  else context.found(state, state.node.tag)
}

/** A tag that was cut by the end of a piece. */
const holding: Mode = {
  read: (state, text, at) => {
    const stop = Tags.walk(state, text, at)
    state.held += text.slice(at, stop)
    if (state.node === undefined) {
      state.mode = state.context
      state.context.missed(state)
    } else if (state.node.tag !== undefined) {
      state.mode = state.context
      state.context.found(state, state.node.tag)
    }
    return stop
  },
  end: (state) => {
    if (state.node !== undefined) state.context.cut(state, state.node)
  }
}

/** Reads data up to the next tag of `table`: what every context but the prose does. */
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
    const doubled = opensOnly && (less > at ? text.charCodeAt(less - 1) : state.previous) === Tags.LESS
    state.node = doubled ? undefined : table
    const stop = Tags.walk(state, text, less + 1)
    if (state.node !== undefined) {
      data(state, text.slice(at, less))
      hold(state, context, text.slice(less, stop))
      return stop
    }
    less = text.indexOf("<", stop)
  }
  data(state, at === 0 ? text : text.slice(at))
  return text.length
}
