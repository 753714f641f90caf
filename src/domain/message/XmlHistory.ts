/**
 * History for a model whose tool calls are XML in text: calls are written as the model would write them, results as
 * user text that names the call. Each message depends only on itself and the previous one, so that earlier bytes of a
 * request don't change.
 */
import type * as Schema from "effect/Schema"
import * as GrowingFold from "./GrowingFold.ts"
import type { ToolSpec } from "../tool/ToolSpec.ts"
import type { Content, Message, ToolCall, ToolResult } from "./Message.ts"

type IsRaw = (tool: string, param: string) => boolean

/** Messages without any ToolCall or ToolResult; the rest of them unchanged. One that was made for the same tools is the same object. */
export const toXmlMessages = (messages: ReadonlyArray<Message>, tools: ReadonlyArray<ToolSpec>): ReadonlyArray<Message> => {
  const fold = folds.get(tools) ?? foldFor(tools)
  folds.set(tools, fold)
  return fold(messages).messages
}

interface XmlMessages {
  readonly messages: Array<Message>
  /** The one before the next, as it was. */
  readonly previous: Message | undefined
}

const folds = new WeakMap<ReadonlyArray<ToolSpec>, (messages: ReadonlyArray<Message>) => XmlMessages>()

const foldFor = (tools: ReadonlyArray<ToolSpec>) => {
  const isRaw = rawParams(tools)
  return GrowingFold.make<Message, XmlMessages>({
    empty: () => ({ messages: [], previous: undefined }),
    add: ({ messages, previous }, message) => {
      messages.push(withoutCalls(message, previous, isRaw))
      return { messages, previous: message }
    },
    fork: ({ messages, previous }) => ({ messages: [...messages], previous })
  })
}

const withoutCalls = ({ content, role }: Message, previous: Message | undefined, isRaw: IsRaw): Message => ({
  role,
  content: content.flatMap((part): ReadonlyArray<Content> =>
    part._tag === "ToolCall" ? [{ _tag: "Text", text: call(part.name, part.params, isRaw) }]
      : part._tag === "ToolResult" ? result(part, previous)
      : [part]
  )
})

const rawParams = (tools: ReadonlyArray<ToolSpec>): IsRaw => {
  const rawNames = new Set(tools.flatMap(({ name, params }) => params.flatMap((param) => param.raw ? [`${name} ${param.name}`] : [])))
  return (tool, param) => rawNames.has(`${tool} ${param}`)
}

/**
 * A call as text. A raw value, and any other with line ends or white space at its edges, is surrounded by line ends, of
 * which a reader removes one on each side.
 */
export const call = (name: string, params: Schema.Json, isRaw: IsRaw = () => false): string => {
  const entries = typeof params === "object" && params !== null && !Array.isArray(params) ? Object.entries(params) : []
  const lines = entries.map(([param, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value)
    const isMultiline = isRaw(name, param) || text.includes("\n") || text.trim() !== text
    return isMultiline ? `<${param}>\n${text}\n</${param}>` : `<${param}>${text}</${param}>`
  })
  return [`<${name}>`, ...lines, `</${name}>`].join("\n")
}

const result = (result: ToolResult, previousMessage: Message | undefined): ReadonlyArray<Content> => {
  const toolCall = previousMessage?.content.find((part): part is ToolCall => part._tag === "ToolCall" && part.id === result.id)
  const text = result.content.flatMap((part) => part._tag === "Text" ? [part.text] : []).join("\n")
  const head = `[${result.name}${toolCall === undefined ? "" : describeParams(toolCall.params)}] ${result.isError ? "Error" : "Result"}:`
  return [
    { _tag: "Text", text: `${head}\n${text === "" ? "(no output)" : text}` },
    ...result.content.filter((part) => part._tag === "Image")
  ]
}

const maxCharacters = 60

/** ` for 'src/a.ts'`: the first parameter, if it is short enough to identify the call. */
const describeParams = (params: Schema.Json): string => {
  const first = typeof params === "object" && params !== null ? Object.values(params)[0] : undefined
  return typeof first === "string" && first !== "" && first.length <= maxCharacters && !first.includes("\n") ? ` for '${first}'` : ""
}
