/** How a model writes its calls: a dialect is an Incremental from chunks to parts. */
import type { Chunk } from "../../domain/message/Chunk.ts"
import type { Part, Remarks, ToolCallPart } from "../../domain/message/Part.ts"
import type { Incremental } from "../../domain/parser/Incremental.ts"
import * as NativeCalls from "../../domain/parser/NativeCalls.ts"
import * as Thinking from "../../domain/parser/Thinking.ts"
import * as XmlTools from "../../domain/parser/xml/XmlTools.ts"
import type { ToolFormat } from "../../domain/provider/Model.ts"
import type { ToolSpec } from "../../domain/tool/ToolSpec.ts"

/** Text is read by one reader, everything else by another, in the order of arrival. */
interface DialectState {
  xmlState: XmlTools.State
  nativeState: NativeCalls.State
  /** For text that is complete. */
  warnings: ReadonlyArray<string>
  /** Where a near miss may be: the tools called in text, and the text of a response without a call. */
  readonly tools: ReadonlyArray<XmlTools.Tool>
  /** The tools' own names, without aliases. */
  readonly names: ReadonlyArray<string>
  text: string
  hasToolCall: boolean
  readonly canRepair: boolean
  /** The last state of each call that was written as text, if they may be repaired. */
  readonly calls: Map<string, ToolCallPart>
  /** The text as it arrived, and whether it ended by itself. */
  received: string
  isWhole: boolean
}

/** `canRepair`: see `ParserOptions`. */
export interface Options {
  readonly tools: ReadonlyArray<ToolSpec>
  readonly canRepair: boolean
}

export type Dialect = Incremental<Options, DialectState, Chunk, Part | Remarks>

const initialState = (
  xmlState: XmlTools.State,
  tools: ReadonlyArray<XmlTools.Tool>,
  names: ReadonlyArray<string>,
  canRepair = false
): DialectState => ({
  xmlState,
  nativeState: NativeCalls.initial(),
  warnings: [],
  tools,
  names,
  text: "",
  hasToolCall: false,
  canRepair,
  calls: new Map(),
  received: "",
  isWhole: false
})

/** Calls on the wire's own events; reasoning may leak into the text. */
const native: Dialect = {
  initial: () => initialState(Thinking.initial(), [], []),
  push: (state, chunk) => {
    const parts = read(state, chunk)
    if (chunk._tag !== "ToolCallStart") return [state, parts]
    const pending = endXml(state)
    state.xmlState = Thinking.initial()
    return [state, [...pending, ...parts]]
  },
  end: (state) => end(state)
}

/** Calls as tags in the text; other events carry reasoning, or calls of a model that was not offered tools. */
const xml: Dialect = {
  initial: ({ canRepair, tools: specs }) => {
    const tools = specs.flatMap(withAliases)
    return initialState(XmlTools.initial({ tools }), tools, specs.map(({ name }) => name), canRepair)
  },
  push: (state, chunk) => [state, read(state, chunk)],
  end: (state) => end(state)
}

export const dialects: Readonly<Record<ToolFormat, Dialect>> = { native, xml }

/** A tool can be called by each of its names. */
const withAliases = ({ aliases, name, params }: ToolSpec): ReadonlyArray<XmlTools.Tool> =>
  [name, ...aliases].map((name) => ({ name, params }))

const read = (state: DialectState, chunk: Chunk): ReadonlyArray<Part> => {
  if (chunk._tag === "Finish") state.isWhole = chunk.reason === "stop"
  if (chunk._tag === "TextDelta") {
    if (state.canRepair) state.received += chunk.text
    const [xmlState, parts] = XmlTools.push(state.xmlState, chunk.text)
    state.xmlState = xmlState
    return recordParts(state, parts, true)
  }
  const [nativeState, parts] = NativeCalls.push(state.nativeState, chunk)
  state.nativeState = nativeState
  return recordParts(state, parts)
}

const endXml = (state: DialectState): ReadonlyArray<Part> => {
  const parts = XmlTools.end(state.xmlState)
  state.warnings = [...state.warnings, ...XmlTools.warnings(state.xmlState)]
  return recordParts(state, parts, true)
}

const end = (state: DialectState): ReadonlyArray<Part | Remarks> => {
  const written = [...endXml(state), ...recordParts(state, NativeCalls.end(state.nativeState))]
  const parts = [...written, ...recordParts(state, repairs(state))]
  const { hasToolCall, names, text, tools, warnings } = state
  const nearMiss = hasToolCall ? undefined : XmlTools.nearMiss(text, tools, names)
  if (nearMiss !== undefined) return [...parts, { _tag: "Remarks", warnings, nearMiss }]
  return warnings.length === 0 ? parts : [...parts, { _tag: "Remarks", warnings }]
}

/** Calls again, as repaired: under their ids, or those that the parser took for text. */
const repairs = ({ calls, canRepair, hasToolCall, isWhole, received, text, tools }: DialectState): ReadonlyArray<ToolCallPart> =>
  canRepair
    ? XmlTools.repairs({ calls: [...calls.values()], text: hasToolCall ? "" : text, tools, received: isWhole ? received : undefined }) : []

const recordParts = (state: DialectState, parts: ReadonlyArray<Part>, isWritten = false): ReadonlyArray<Part> => {
  for (const part of parts) {
    if (part._tag === "Text" && state.tools.length > 0) state.text += part.text
    if (part._tag === "ToolCall") {
      state.hasToolCall = true
      if (isWritten && state.canRepair) state.calls.set(part.id, part)
    }
  }
  return parts
}
