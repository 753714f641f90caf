/**
 * Reasoning in text, for models with native calls that leak their reasoning into the text: `<thinking>` and `<think>`
 * bodies become reasoning, everything else is text. The same reader as XmlTools, without calls.
 */
import type { Part } from "../message/Part.ts"
import * as TagGrammar from "./xml/TagGrammar.ts"
import { collect } from "./xml/PartWriter.ts"
import * as XmlTools from "./xml/XmlTools.ts"

export type State = XmlTools.State

/** Before the first character. */
export const initial = (): State => XmlTools.start(TagGrammar.thinking, false)

/** Reads the next piece: deltas of text and reasoning. O(length of the piece). */
export const push = XmlTools.push

/** The stream is over: returns the text held back. */
export const end = XmlTools.end

/** The complete parts of a complete text. */
export const parse = (text: string): ReadonlyArray<Part> => {
  const [state, parts] = push(initial(), text)
  return collect([...parts, ...end(state)])
}

export { collect }
