/** How a model writes its calls: a dialect is an Incremental from chunks to parts. */
import type { Chunk } from "../../domain/message/Chunk.ts"
import type { Part } from "../../domain/message/Part.ts"
import type { Incremental } from "../../domain/parser/Incremental.ts"
import * as NativeCalls from "../../domain/parser/NativeCalls.ts"
import * as Thinking from "../../domain/parser/Thinking.ts"
import * as XmlTools from "../../domain/parser/XmlTools.ts"
import type { ToolFormat } from "../../domain/provider/Model.ts"
import type { ToolSpec } from "../../domain/tool/ToolSpec.ts"

export type Dialect<State> = Incremental<ReadonlyArray<ToolSpec>, State, Chunk, Part>

/** What both dialects read: words by one reader, everything else by another, in the order in which they came. */
interface Reading<Words, Rest> {
  words: Words
  rest: Rest
}

/** Calls on the wire's own events; reasoning may leak into the words. */
const native: Dialect<Reading<Thinking.State, NativeCalls.State>> = {
  initial: () => ({ words: Thinking.initial(), rest: NativeCalls.initial() }),
  push: (state, chunk) => {
    if (chunk._tag === "TextDelta") {
      const [words, parts] = Thinking.push(state.words, chunk.text)
      state.words = words
      return [state, parts]
    }
    const [rest, parts] = NativeCalls.push(state.rest, chunk)
    state.rest = rest
    if (chunk._tag !== "ToolCallStart") return [state, parts]
    const held = Thinking.end(state.words)
    state.words = Thinking.initial()
    return [state, [...held, ...parts]]
  },
  end: ({ rest, words }) => [...Thinking.end(words), ...NativeCalls.end(rest)]
}

/** Calls as tags in the words; what comes on other events is reasoning, or a model that was not asked for calls. */
const xml: Dialect<Reading<XmlTools.State, NativeCalls.State>> = {
  initial: (tools) => ({ words: XmlTools.initial({ tools: tools.flatMap(named) }), rest: NativeCalls.initial() }),
  push: (state, chunk) => {
    if (chunk._tag === "TextDelta") {
      const [words, parts] = XmlTools.push(state.words, chunk.text)
      state.words = words
      return [state, parts]
    }
    const [rest, parts] = NativeCalls.push(state.rest, chunk)
    state.rest = rest
    return [state, parts]
  },
  end: ({ rest, words }) => [...XmlTools.end(words), ...NativeCalls.end(rest)]
}

/** A tool answers under each of its names. */
const named = ({ aliases, name, params }: ToolSpec) => [name, ...aliases].map((name) => ({ name, params }))

export const dialects: Readonly<Record<ToolFormat, Dialect<Reading<XmlTools.State, NativeCalls.State>>>> = { native, xml }
