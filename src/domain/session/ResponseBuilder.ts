/**
 * A model's answer while it comes: chunks give usage and the end, parts give content. Calls get ids of ours, unique
 * in the session and legal on every wire; they are what the history sends back.
 */
import type { Chunk, StopReason } from "../message/Chunk.ts"
import type { Content } from "../message/Message.ts"
import type { Part, Remarks, ToolCallPart } from "../message/Part.ts"
import type * as Schema from "effect/Schema"
import type { TokenUsage } from "./Usage.ts"

/** A state belongs to the step that takes it. */
export interface Answer {
  readonly turn: number
  readonly model: string
  readonly blocks: Array<Content>
  readonly calls: Map<string, { readonly place: number; readonly last: ToolCallPart }>
  usage: TokenUsage | undefined
  stop: StopReason
  /** Why it ended, in the provider's own word. */
  raw: string
  remarks: Omit<Remarks, "_tag">
}

export const initial = (turn: number, model: string): Answer => ({
  turn,
  model,
  blocks: [],
  calls: new Map(),
  usage: undefined,
  stop: "other",
  raw: "",
  remarks: { warnings: [] }
})

export const chunk = (answer: Answer, chunk: Chunk): void => {
  if (chunk._tag === "Usage") answer.usage = chunk.usage
  if (chunk._tag === "Finish") Object.assign(answer, { stop: chunk.reason, raw: chunk.raw })
}

/** Takes a part in and gives it as followers see it: under the call's id of ours. */
export const part = (answer: Answer, part: Part): Part => {
  const { blocks, calls } = answer
  const last = blocks.at(-1)
  switch (part._tag) {
    case "Text":
      if (last?._tag === "Text") blocks[blocks.length - 1] = { _tag: "Text", text: last.text + part.text }
      else blocks.push({ _tag: "Text", text: part.text })
      return part
    case "Reasoning": {
      const { _tag, text, ...seal } = part
      const open = last?._tag === "Reasoning" && last.signature === undefined && last.encrypted === undefined
      if (open) blocks[blocks.length - 1] = { ...last, ...seal, text: last.text + text }
      else blocks.push({ _tag, text, model: answer.model, ...seal })
      return part
    }
    case "ToolCall": {
      const known = calls.get(part.id)
      const place = known?.place ?? blocks.length
      const renamed = { ...part, id: known?.last.id ?? `call_${answer.turn}_${calls.size + 1}` }
      calls.set(part.id, { place, last: renamed })
      blocks[place] = { _tag: "ToolCall", id: renamed.id, name: part.name, params: part.params as Schema.JsonObject }
      return renamed
    }
  }
}

export const remarks = (answer: Answer, { _tag, ...remarks }: Remarks): void => {
  answer.remarks = remarks
}

/** The answer as ModelResponded keeps it; text and reasoning that say nothing are left out. */
export const end = ({ blocks, calls, raw, remarks, stop }: Answer): {
  readonly content: ReadonlyArray<Content>
  readonly stop: StopReason
  readonly malformed: ReadonlyArray<{ readonly call: string; readonly why: string }>
  readonly warnings: ReadonlyArray<string>
  readonly nearMiss?: string
} => {
  const last = [...calls.values()].map((call) => call.last)
  return {
    content: blocks.filter((block) => block._tag !== "Text" || block.text.trim() !== ""),
    stop,
    malformed: last.flatMap(({ id, malformed, partial }) =>
      malformed !== undefined ? [{ call: id, why: malformed }] : partial ? [{ call: id, why: "the call was cut off" }] : []
    ),
    ...remarks,
    warnings: [
      ...last.flatMap(({ warnings }) => warnings),
      ...remarks.warnings,
      ...(stop === "other" && raw === "" ? ["The answer ended without saying why: it may not be whole."] : [])
    ]
  }
}
