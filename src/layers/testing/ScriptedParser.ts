/**
 * A parser that knows the calls in a text by heart: a response's native calls come whole, and no text is searched for tags
 * but for those of the script.
 */
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { Chunk } from "../../domain/message/Chunk.ts"
import type { Part, ToolCallPart } from "../../domain/message/Part.ts"
import { Parser } from "../../services/Parser.ts"

/** Calls by the text that writes them. */
export type Script = Readonly<Record<string, Pick<ToolCallPart, "name" | "params">>>

/** Only models without native calls write calls as text; theirs is read when it is complete. */
export const layer = (script: Script = {}): Layer.Layer<Parser> =>
  Layer.succeed(Parser, {
    parse: (format) =>
      Stream.mapAccumArray((): State => ({ calls: new Map(), text: "" }), (state, chunks) => [
        state,
        chunks.flatMap((chunk) => read(state, chunk, format === "xml"))
      ], {
        onHalt: (state) => [...textParts(state.text, script), ...[...state.calls].map(([id, call]) => complete(id, call))]
      })
  })

/** `text` and `calls` are not complete yet. */
interface State {
  readonly calls: Map<string, { readonly name: string; args: string }>
  text: string
}

const read = (state: State, chunk: Chunk, collectsText: boolean): ReadonlyArray<Part> => {
  switch (chunk._tag) {
    case "TextDelta":
      if (!collectsText) return [{ _tag: "Text", text: chunk.text }]
      state.text += chunk.text
      return []
    case "ReasoningDelta": {
      const { _tag, ...rest } = chunk
      return [{ _tag: "Reasoning", ...rest }]
    }
    case "ToolCallStart":
      state.calls.set(chunk.id, { name: chunk.name, args: "" })
      return []
    case "ToolCallArgs": {
      const call = state.calls.get(chunk.id)
      if (call !== undefined) call.args += chunk.text
      return []
    }
    case "ToolCallEnd": {
      const call = state.calls.get(chunk.id)
      state.calls.delete(chunk.id)
      return call === undefined ? [] : [complete(chunk.id, call)]
    }
    default:
      return []
  }
}

const complete = (id: string, { args, name }: { readonly name: string; readonly args: string }): ToolCallPart => {
  const call = { _tag: "ToolCall", id, name, partial: false, warnings: [] } as const
  try {
    return { ...call, params: args.trim() === "" ? {} : JSON.parse(args) }
  } catch {
    return { ...call, params: {}, malformed: "the arguments are not valid JSON" }
  }
}

/** The text without the calls of the script, and those calls, in order. */
const textParts = (text: string, script: Script): ReadonlyArray<Part> => {
  const parts: Array<Part> = []
  let rest = text
  while (rest !== "") {
    const [first] = Object.keys(script).filter((one) => rest.includes(one)).toSorted((a, b) => rest.indexOf(a) - rest.indexOf(b))
    const at = first === undefined ? rest.length : rest.indexOf(first)
    if (at > 0) parts.push({ _tag: "Text", text: rest.slice(0, at) })
    if (first === undefined) break
    parts.push({ _tag: "ToolCall", id: `call_${parts.length}`, partial: false, warnings: [], ...script[first]! })
    rest = rest.slice(at + first.length)
  }
  return parts
}
