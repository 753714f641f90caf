/** How a model writes its calls: a dialect is an Incremental from chunks to parts. */
import type { Chunk } from "../../domain/message/Chunk.ts"
import type { Part, Remarks } from "../../domain/message/Part.ts"
import type { Incremental } from "../../domain/parser/Incremental.ts"
import * as NativeCalls from "../../domain/parser/NativeCalls.ts"
import * as Thinking from "../../domain/parser/Thinking.ts"
import * as XmlTools from "../../domain/parser/xml/XmlTools.ts"
import type { ToolFormat } from "../../domain/provider/Model.ts"
import type { ToolSpec } from "../../domain/tool/ToolSpec.ts"

/** Words are read by one reader, everything else by another, in the order in which they came. */
interface Reading {
  words: XmlTools.State
  rest: NativeCalls.State
  /** Of words that are read to their end. */
  warnings: ReadonlyArray<string>
  /** Where a near miss may be: the tools that are called in words, and the text of a response without a call. */
  readonly tools: ReadonlyArray<XmlTools.Tool>
  text: string
  called: boolean
}

export type Dialect = Incremental<ReadonlyArray<ToolSpec>, Reading, Chunk, Part | Remarks>

const reading = (words: XmlTools.State, tools: ReadonlyArray<XmlTools.Tool>): Reading => ({
  words,
  rest: NativeCalls.initial(),
  warnings: [],
  tools,
  text: "",
  called: false
})

/** Calls on the wire's own events; reasoning may leak into the words. */
const native: Dialect = {
  initial: () => reading(Thinking.initial(), []),
  push: (state, chunk) => {
    const parts = read(state, chunk)
    if (chunk._tag !== "ToolCallStart") return [state, parts]
    const held = endWords(state)
    state.words = Thinking.initial()
    return [state, [...held, ...parts]]
  },
  end: (state) => end(state)
}

/** Calls as tags in the words; what comes on other events is reasoning, or a model that was not asked for calls. */
const xml: Dialect = {
  initial: (specs) => {
    const tools = specs.flatMap(named)
    return reading(XmlTools.initial({ tools }), tools)
  },
  push: (state, chunk) => [state, read(state, chunk)],
  end: (state) => end(state)
}

export const dialects: Readonly<Record<ToolFormat, Dialect>> = { native, xml }

/** A tool answers under each of its names. */
const named = ({ aliases, name, params }: ToolSpec): ReadonlyArray<XmlTools.Tool> => [name, ...aliases].map((name) => ({ name, params }))

const read = (state: Reading, chunk: Chunk): ReadonlyArray<Part> => {
  if (chunk._tag === "TextDelta") {
    const [words, parts] = XmlTools.push(state.words, chunk.text)
    state.words = words
    return heard(state, parts)
  }
  const [rest, parts] = NativeCalls.push(state.rest, chunk)
  state.rest = rest
  return heard(state, parts)
}

const endWords = (state: Reading): ReadonlyArray<Part> => {
  const parts = XmlTools.end(state.words)
  state.warnings = [...state.warnings, ...XmlTools.warnings(state.words)]
  return heard(state, parts)
}

const end = (state: Reading): ReadonlyArray<Part | Remarks> => {
  const parts = [...endWords(state), ...heard(state, NativeCalls.end(state.rest))]
  const { called, text, tools, warnings } = state
  const nearMiss = called ? undefined : XmlTools.nearMiss(text, tools)
  if (nearMiss !== undefined) return [...parts, { _tag: "Remarks", warnings, nearMiss }]
  return warnings.length === 0 ? parts : [...parts, { _tag: "Remarks", warnings }]
}

const heard = (state: Reading, parts: ReadonlyArray<Part>): ReadonlyArray<Part> => {
  for (const part of parts) {
    if (part._tag === "Text" && state.tools.length > 0) state.text += part.text
    if (part._tag === "ToolCall") state.called = true
  }
  return parts
}
