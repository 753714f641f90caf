/**
 * History for a model whose tool calls are XML in text: calls are told as the model would write them, results as
 * words of the user that name the call. Each message depends on itself and the one before alone, so that earlier
 * bytes of a request stay as they are.
 */
import type * as Schema from "effect/Schema"
import type { ToolSpec } from "../tool/ToolSpec.ts"
import type { Content, Message, ToolCall, ToolResult } from "./Message.ts"

type IsRaw = (tool: string, param: string) => boolean

/** Messages without any ToolCall or ToolResult; the rest of them as they were. */
export const tell = (messages: ReadonlyArray<Message>, tools: ReadonlyArray<ToolSpec>): ReadonlyArray<Message> => {
  const raw = rawParams(tools)
  return messages.map(({ content, role }, i) => ({
    role,
    content: content.flatMap((part): ReadonlyArray<Content> =>
      part._tag === "ToolCall" ? [{ _tag: "Text", text: call(part.name, part.params, raw) }]
      : part._tag === "ToolResult" ? result(part, messages[i - 1])
      : [part]
    )
  }))
}

const rawParams = (tools: ReadonlyArray<ToolSpec>): IsRaw => {
  const raw = new Set(tools.flatMap(({ name, params }) => params.flatMap((param) => param.raw ? [`${name} ${param.name}`] : [])))
  return (tool, param) => raw.has(`${tool} ${param}`)
}

/**
 * A call as text. A raw value, and any other that has line ends or white space at its edges, stands between line
 * ends of its own, of which a reader takes one from each side.
 */
export const call = (name: string, params: Schema.Json, isRaw: IsRaw = () => false): string => {
  const given = typeof params === "object" && params !== null && !Array.isArray(params) ? Object.entries(params) : []
  const lines = given.map(([param, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value)
    const apart = isRaw(name, param) || text.includes("\n") || text.trim() !== text
    return apart ? `<${param}>\n${text}\n</${param}>` : `<${param}>${text}</${param}>`
  })
  return [`<${name}>`, ...lines, `</${name}>`].join("\n")
}

const result = (result: ToolResult, before: Message | undefined): ReadonlyArray<Content> => {
  const answered = before?.content.find((part): part is ToolCall => part._tag === "ToolCall" && part.id === result.id)
  const text = result.content.flatMap((part) => part._tag === "Text" ? [part.text] : []).join("\n")
  const head = `[${result.name}${answered === undefined ? "" : about(answered.params)}] ${result.isError ? "Error" : "Result"}:`
  return [
    { _tag: "Text", text: `${head}\n${text === "" ? "(no output)" : text}` },
    ...result.content.filter((part) => part._tag === "Image")
  ]
}

const longest = 60

/** ` for 'src/a.ts'`: the first parameter, where it is short enough to name the call. */
const about = (params: Schema.Json): string => {
  const first = typeof params === "object" && params !== null ? Object.values(params)[0] : undefined
  return typeof first === "string" && first !== "" && first.length <= longest && !first.includes("\n") ? ` for '${first}'` : ""
}
