/**
 * Tool calls in text: reads the words, the reasoning and the calls of a model that writes its calls as tags, in the
 * tool's own name or in the `<invoke name="…">` form. The format is told in docs/formats/xml-tools.md.
 *
 * Linear: each unit is looked at a bounded number of times, however the text is cut. Memory is the output plus the
 * longest held tag or run of white space. Nothing throws; what is no call is text.
 *
 * @example
 * const options = { tools: [{ name: "read_file", params: [{ name: "path" }] }] }
 * XmlTools.parse("Let me see. <read_file><path>a.ts</path></read_file>", options)
 * // [Text "Let me see.", ToolCall read_file { path: "a.ts" }]
 */
import type { Part } from "../../message/Part.ts"
import * as Call from "./CallMode.ts"
import * as Grammar from "./TagGrammar.ts"
import type * as Machine from "./ParserState.ts"
import * as Output from "./PartWriter.ts"
import { collect } from "../Parts.ts"
import { prose } from "./TextMode.ts"

/** `fences`: a code fence whose first content is a call wraps it (the default), or is text as any other. */
export interface Options {
  readonly tools: ReadonlyArray<Grammar.Tool>
  readonly fences?: "wrapper" | "text"
}

/** Belongs to the step that takes it: use only the state that the last `push` gave. */
export interface State extends Machine.State {}

/** Before the first character, for these tools. */
export const initial = (options: Options): State => start(Grammar.compile(options.tools), options.fences !== "text")

/** A state for a grammar that is compiled already. */
export const start = (grammar: Grammar.Grammar, wrappers: boolean): State => ({
  grammar,
  wrappers,
  out: Output.initial(),
  warnings: [],
  outside: prose,
  mode: prose,
  node: undefined,
  held: "",
  context: prose,
  previous: 0,
  line: "",
  marker: { unit: 0, length: 0 },
  run: 0,
  quoted: false,
  due: false,
  wrapper: undefined,
  lead: "",
  fenced: false,
  leadBlocks: new Set(),
  blocks: new Set(),
  reasoningEnd: undefined,
  call: undefined,
  calls: 0
})

/**
 * Reads the next piece. Text and reasoning come as deltas; an open call comes as its state so far, `partial` under its
 * id until it is complete, with what was `appended` to which parameter. O(length of the piece).
 */
export const push = (state: State, text: string): readonly [State, ReadonlyArray<Part>] => {
  let at = 0
  while (at < text.length) at = state.mode.read(state, text, at)
  Call.tell(state)
  return [state, Output.take(state.out)]
}

/** The stream is over: what was held is decided, and an open call is partial. */
export const end = (state: State): ReadonlyArray<Part> => {
  state.mode.end(state)
  return Output.end(state.out)
}

/** What was dropped although it belongs to no call (cut-off tags), known after `end`. */
export const warnings = (state: State): ReadonlyArray<string> => state.warnings

/** The whole parts of a whole text. */
export const parse = (text: string, options: Options): ReadonlyArray<Part> => {
  const [state, parts] = push(initial(options), text)
  return collect([...parts, ...end(state)])
}

/** Joins what `push` and `end` gave into what `parse` gives. */
export { collect }

export { nearMiss } from "./NearMiss.ts"

export type { Tool } from "./TagGrammar.ts"
