/**
 * A model's response while it streams: chunks carry usage and the end, parts carry content. Calls get our own ids,
 * unique in the session and valid on every wire; the history sends these back.
 */
import type { Chunk, StopReason } from "../message/Chunk.ts"
import type { Content } from "../message/Message.ts"
import type { Part, Remarks, ToolCallPart } from "../message/Part.ts"
import type * as Schema from "effect/Schema"
import * as Metering from "./Metering.ts"
import type { TokenUsage } from "./Usage.ts"

/** A state belongs to the step that receives it. */
export interface ResponseBuilder {
  readonly turn: number
  readonly model: string
  readonly blocks: Array<Content>
  readonly calls: Map<string | symbol, { readonly index: number; readonly last: ToolCallPart }>
  usage: TokenUsage | undefined
  stop: StopReason
  /** Why it ended, in the provider's own term. */
  raw: string
  remarks: Omit<Remarks, "_tag">
}

export const initial = (turn: number, model: string): ResponseBuilder => ({
  turn,
  model,
  blocks: [],
  calls: new Map(),
  usage: undefined,
  stop: "other",
  raw: "",
  remarks: { warnings: [] }
})

export const addChunk = (builder: ResponseBuilder, addChunk: Chunk): void => {
  builder.usage = Metering.next(builder.usage, addChunk)
  if (addChunk._tag === "Finish") Object.assign(builder, { stop: addChunk.reason, raw: addChunk.raw })
}

/** Adds a part and returns it as followers see it: under our id for the call. */
export const addPart = (builder: ResponseBuilder, addPart: Part): Part => {
  const { blocks, calls } = builder
  const last = blocks.at(-1)
  switch (addPart._tag) {
    case "Text":
      if (last?._tag === "Text") blocks[blocks.length - 1] = { _tag: "Text", text: last.text + addPart.text }
      else blocks.push({ _tag: "Text", text: addPart.text })
      return addPart
    case "Reasoning": {
      const { _tag, text, ...signatureFields } = addPart
      const canExtend = last?._tag === "Reasoning" && last.signature === undefined && last.encrypted === undefined
      if (canExtend) blocks[blocks.length - 1] = { ...last, ...signatureFields, text: last.text + text }
      else blocks.push({ _tag, text, model: builder.model, ...signatureFields })
      return addPart
    }
    case "ToolCall": {
      const isOverLimit = !calls.has(addPart.id) && calls.size >= maxCalls
      const key = isOverLimit ? overflowKey : addPart.id
      const accepted = isOverLimit ? { ...addPart, params: {}, partial: false, malformed: tooManyCalls, warnings: [] } : addPart
      const previous = calls.get(key)
      const index = previous?.index ?? blocks.length
      const toolCall = { ...accepted, id: previous?.last.id ?? `call_${builder.turn}_${calls.size + 1}` }
      calls.set(key, { index, last: toolCall })
      blocks[index] = { _tag: "ToolCall", id: toolCall.id, name: addPart.name, params: toolCall.params as Schema.JsonObject }
      return toolCall
    }
  }
}

/**
 * The maximum number of calls in a response. A model that writes more is in a loop, and each call is judged, logged,
 * and answered in the next request.
 */
export const maxCalls = 256

/** One call, which never runs, represents all those over the limit. */
const overflowKey = Symbol("beyond")
const tooManyCalls =
  `a response may contain at most ${maxCalls} calls: this one and all that follow were dropped. Make fewer calls at a time`

export const setRemarks = (builder: ResponseBuilder, { _tag, ...setRemarks }: Remarks): void => {
  builder.remarks = setRemarks
}

/** The response as ModelResponded stores it; empty text and reasoning are left out. */
export const finishResponse = ({ blocks, calls, raw, remarks, stop }: ResponseBuilder): {
  readonly content: ReadonlyArray<Content>
  readonly stop: StopReason
  readonly malformed: ReadonlyArray<{ readonly call: string; readonly why: string }>
  readonly warnings: ReadonlyArray<string>
  readonly nearMiss?: string
} => {
  const finalCalls = [...calls.values()].map((call) => call.last)
  return {
    content: blocks.filter((block) => block._tag !== "Text" || block.text.trim() !== ""),
    stop,
    malformed: finalCalls.flatMap(({ id, malformed, partial }) =>
      malformed !== undefined ? [{ call: id, why: malformed }] : partial ? [{ call: id, why: "the call was cut off" }] : []
    ),
    ...remarks,
    warnings: [
      ...finalCalls.flatMap(({ warnings }) => warnings),
      ...remarks.warnings,
      ...(stop === "other" && raw === "" ? ["The response ended without a stop reason: it may be incomplete."] : [])
    ]
  }
}
