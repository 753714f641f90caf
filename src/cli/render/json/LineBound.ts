/**
 * Bounds the data in a line of `stream-json`: inputs and results of tool calls. Text of the model, results of the run and requests
 * that a program answers stay complete.
 */
import type * as Schema from "effect/Schema"
import * as Normalize from "../../../domain/tool/Normalize.ts"
import type * as StreamJsonSchema from "./StreamJsonSchema.ts"

/** The line as JSON; if its data takes more than `Normalize.limits.line`, each part of it is reduced to an equal share. */
export const json = (line: StreamJsonSchema.Line, replace: (key: string, value: unknown) => unknown): string => {
  const text = JSON.stringify(line, replace)
  // A UTF-16 unit takes at most three bytes.
  if (text.length * 3 <= maxBytes) return text
  // Parsed again, because what is to be redacted must be redacted before a part of it is cut.
  const copy = JSON.parse(text) as StreamJsonSchema.Line
  const values: Array<Schema.Json> = []
  mapData(copy, (value) => {
    values.push(value)
    return value
  })
  const bytes = values.reduce<number>((sum, value) => sum + byteLength(value), 0)
  if (bytes <= maxBytes) return text
  const share = Math.floor(maxBytes / values.length)
  return JSON.stringify(mapData(copy, (value) => Normalize.toSize(value, { ...Normalize.limits.line, maxBytes: share })))
}

const { maxBytes } = Normalize.limits.line

const byteLength = (value: Schema.Json): number => new TextEncoder().encode(JSON.stringify(value)).length

const asText = (value: Schema.Json): string => typeof value === "string" ? value : JSON.stringify(value)

/** A view only counts with its schema, so it is left out rather than reduced. */
const mapData = (line: StreamJsonSchema.Line, map: (value: Schema.Json) => Schema.Json): object => {
  switch (line.type) {
    case "assistant":
      return {
        ...line,
        message: {
          ...line.message,
          content: line.message.content.map((block) => block.type === "tool_use" ? { ...block, input: map(block.input) } : block)
        }
      }
    case "user": {
      if (!("message" in line) || !Array.isArray(line.message.content) || "isReplay" in line) return line
      const { tool_use_result: result, ...rest } = line as ToolResult
      const view = result === undefined ? undefined : map(result.view as unknown as Schema.Json)
      return {
        ...rest,
        message: { ...rest.message, content: rest.message.content.map((part) => ({ ...part, content: asText(map(part.content)) })) },
        ...(result !== undefined && view === result.view ? { tool_use_result: result } : {})
      }
    }
    case "result":
      return { ...line, permission_denials: line.permission_denials.map((denial) => ({ ...denial, tool_input: map(denial.tool_input) })) }
    case "stream_event": {
      const { event } = line
      const delta = event["delta"] as { readonly type?: unknown; readonly partial_json?: unknown } | undefined
      return delta?.type !== "input_json_delta" || typeof delta.partial_json !== "string" ? line
        : { ...line, event: { ...event, delta: { ...delta, partial_json: JSON.stringify(map(JSON.parse(delta.partial_json))) } } }
    }
    default:
      return line
  }
}

type ToolResult = Extract<StreamJsonSchema.Line, { readonly tool_use_result?: unknown }>
