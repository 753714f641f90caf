/**
 * Reasoning in text, for models whose calls come on a wire of their own but whose thoughts leak into their words:
 * `<thinking>` and `<think>` bodies become reasoning, all else is text. The same reader as XmlTools, with no calls.
 */
import type { Part } from "../message/Part.ts"
import * as Grammar from "./xml/TagGrammar.ts"
import { collect } from "./Parts.ts"
import * as XmlTools from "./xml/XmlTools.ts"

export type State = XmlTools.State

/** Before the first character. */
export const initial = (): State => XmlTools.start(Grammar.thinking, false)

/** Reads the next piece: deltas of text and reasoning. O(length of the piece). */
export const push = XmlTools.push

/** The stream is over: the text that was held. */
export const end = XmlTools.end

/** The whole parts of a whole text. */
export const parse = (text: string): ReadonlyArray<Part> => {
  const [state, parts] = push(initial(), text)
  return collect([...parts, ...end(state)])
}

export { collect }
