/**
 * Tool calls in text: reads the text, the reasoning and the calls of a model that writes its calls as tags, in the tool's
 * own name or in the `<invoke name="…">` form. See docs/formats/xml-tools.md for the format.
 *
 * Linear: each unit is read a bounded number of times, however the text is cut. Memory is the output plus the
 * longest held tag or run of white space. Nothing throws; what is not a call is text.
 *
 * @example
 * const options = { tools: [{ name: "read_file", params: [{ name: "path" }] }] }
 * XmlTools.parse("Let me see. <read_file><path>a.ts</path></read_file>", options)
 * // [Text "Let me see.", ToolCall read_file { path: "a.ts" }]
 */
import type { Part } from "../../message/Part.ts"
import * as CallMode from "./CallMode.ts"
import * as TagGrammar from "./TagGrammar.ts"
import type * as ParserState from "./ParserState.ts"
import * as PartWriter from "./PartWriter.ts"
import { collect } from "./PartWriter.ts"
import { textMode } from "./TextMode.ts"

/** `fences`: a code fence whose first content is a call wraps it (the default), or is text like any other. */
export interface Options {
  readonly tools: ReadonlyArray<TagGrammar.Tool>
  readonly fences?: "wrapper" | "text"
}

/** Belongs to the step that receives it: use only the state that the last `push` returned. */
export interface State extends ParserState.State {}

/** Before the first character, for these tools. */
export const initial = (options: Options): State => start(TagGrammar.compile(options.tools), options.fences !== "text")

/** A state for a compiled grammar. */
export const start = (grammar: TagGrammar.Grammar, hasWrappers: boolean): State => ({
  grammar,
  hasWrappers,
  out: PartWriter.initial(),
  warnings: [],
  outerMode: textMode,
  mode: textMode,
  node: undefined,
  pending: "",
  context: textMode,
  previousUnit: 0,
  line: "",
  marker: { unit: 0, length: 0 },
  run: 0,
  isQuoted: false,
  isQuoteMarkDue: false,
  wrapper: undefined,
  lead: "",
  isFenced: false,
  leadBlocks: new Set(),
  blocks: new Set(),
  reasoningEnd: undefined,
  call: undefined,
  callCount: 0
})

/**
 * Reads the next piece. Text and reasoning come as deltas; an open call comes as its state so far, `partial` under its
 * id until it is complete, with what was `appended` to which parameter. O(length of the piece).
 */
export const push = (state: State, text: string): readonly [State, ReadonlyArray<Part>] => {
  let at = 0
  while (at < text.length) at = state.mode.read(state, text, at)
  CallMode.emitProgress(state)
  return [state, PartWriter.take(state.out)]
}

/** The stream is over: what was held back is decided, and an open call is partial. */
export const end = (state: State): ReadonlyArray<Part> => {
  state.mode.end(state)
  return PartWriter.end(state.out)
}

/** What was dropped although it belongs to no call (cut-off tags), known after `end`. */
export const warnings = (state: State): ReadonlyArray<string> => state.warnings

/** The complete parts of a complete text. */
export const parse = (text: string, options: Options): ReadonlyArray<Part> => {
  const [state, parts] = push(initial(options), text)
  return collect([...parts, ...end(state)])
}

/** Joins what `push` and `end` returned into what `parse` returns. */
export { collect }

export { nearMiss } from "./NearMiss.ts"

export { repairs } from "./TagRepair.ts"

export type { Tool } from "./TagGrammar.ts"
