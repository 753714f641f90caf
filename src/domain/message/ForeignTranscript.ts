/**
 * Conversations of other agents as text, to continue them here: the lines of Claude Code's session files, and of Codex's rollouts.
 * Lines of other kinds, and lines that are not valid, are left out and counted.
 */
import { optional } from "../Optional.ts"
import * as Truncate from "../tool/Truncate.ts"

/** `speaker` is who wrote the text; a tool's call or result names the tool. */
export interface Entry {
  readonly speaker: "assistant" | "call" | "result" | "user"
  readonly text: string
}

export interface Transcript {
  readonly agent: "claude" | "codex"
  readonly id: string
  readonly cwd?: string
  readonly model?: string
  readonly entries: ReadonlyArray<Entry>
  readonly unreadLines: number
}

type Json = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const parseLine = (line: string): Json | undefined => {
  try {
    const value: unknown = JSON.parse(line)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

const textOf = (value: unknown): string => typeof value === "string" ? value : ""

/** The texts in a list of parts, or the text itself. */
const contentText = (content: unknown): string =>
  typeof content === "string" ? content
    : Array.isArray(content) ? content.filter(isRecord).map((part) => textOf(part["text"])).filter((text) => text !== "").join("\n")
    : ""

/** The longest text of one call or result, in characters. */
const maxToolCharacters = 2_000

const entry = (speaker: Entry["speaker"], text: string): ReadonlyArray<Entry> => {
  const trimmed = text.trim()
  if (trimmed === "") return []
  const isTool = speaker === "call" || speaker === "result"
  return [{ speaker, text: isTool ? Truncate.middle(trimmed, maxToolCharacters) : trimmed }]
}

/** The conversation in a file; undefined if it is neither of both formats. */
export const parse = (text: string): Transcript | undefined => {
  const lines = text.split("\n").filter((line) => line.trim() !== "")
  const records = lines.map(parseLine)
  const valid = records.filter((record) => record !== undefined)
  const meta = valid.find(({ type }) => type === "session_meta")
  const message = valid.find(({ sessionId, type }) => typeof sessionId === "string" && (type === "user" || type === "assistant"))
  const unreadLines = lines.length - valid.length
  if (meta !== undefined) return { ...codex(valid, isRecord(meta["payload"]) ? meta["payload"] : {}), unreadLines }
  return message === undefined ? undefined : { ...claude(valid, message), unreadLines }
}

/** Claude Code: messages as Anthropic's API has them; side chains are the work of subagents, and meta lines its own notes. */
const claude = (records: ReadonlyArray<Json>, first: Json): Omit<Transcript, "unreadLines"> => {
  const messages = records.filter(({ isMeta, isSidechain, type }) =>
    (type === "user" || type === "assistant") && isSidechain !== true && isMeta !== true
  )
  const model = messages.map(({ message }) => isRecord(message) ? textOf(message["model"]) : "").findLast((name) =>
    name.startsWith("claude")
  )
  return {
    agent: "claude",
    id: textOf(first["sessionId"]),
    ...optional({ cwd: textOf(first["cwd"]) || undefined, model: model === undefined ? undefined : `anthropic/${model}` }),
    entries: messages.flatMap(({ message, type }) =>
      claudeEntries(isRecord(message) ? message["content"] : undefined, type as "assistant" | "user")
    )
  }
}

const claudeEntries = (content: unknown, speaker: "assistant" | "user"): ReadonlyArray<Entry> =>
  typeof content === "string" ? entry(speaker, content) : !Array.isArray(content) ? [] : content.filter(isRecord).flatMap((part) =>
    part["type"] === "text" ? entry(speaker, textOf(part["text"]))
      : part["type"] === "tool_use" ? entry("call", `${textOf(part["name"])} ${JSON.stringify(part["input"] ?? {})}`)
      : part["type"] === "tool_result" ? entry("result", contentText(part["content"]))
      : []
  )

/** Codex: the items of OpenAI's Responses API; its instructions and notes about the environment are messages in tags. */
const codex = (records: ReadonlyArray<Json>, meta: Json): Omit<Transcript, "unreadLines"> => {
  const payloads = (kind: string) => records.filter(({ type }) => type === kind).map(({ payload }) => isRecord(payload) ? payload : {})
  const model = payloads("turn_context").map(({ model }) => textOf(model)).findLast((name) => name !== "")
  return {
    agent: "codex",
    id: textOf(meta["id"]),
    ...optional({ cwd: textOf(meta["cwd"]) || undefined, model: model === undefined ? undefined : `openai/${model}` }),
    entries: payloads("response_item").flatMap((item): ReadonlyArray<Entry> => {
      const { arguments: args, content, input, name, output, role, type } = item
      if (type === "message") {
        const text = contentText(content)
        return role === "assistant" ? entry("assistant", text)
          : role === "user" && !/^\s*(?:<(?:environment_context|user_instructions|INSTRUCTIONS)>|# AGENTS\.md instructions)/.test(text)
          ? entry("user", text) : []
      }
      if (type === "function_call" || type === "custom_tool_call") return entry("call", `${textOf(name)} ${textOf(args ?? input)}`)
      if (type === "local_shell_call") return entry("call", `shell ${JSON.stringify(item["action"] ?? {})}`)
      if (type !== "function_call_output" && type !== "custom_tool_call_output") return []
      return entry("result", typeof output === "string" ? output : isRecord(output) ? contentText(output["content"]) : contentText(output))
    })
  }
}

const titles: Readonly<Record<Entry["speaker"], string>> = {
  user: "User",
  assistant: "Assistant",
  call: "Tool call",
  result: "Tool result"
}

/** The longest conversation that is carried over, in characters: about 50,000 tokens. */
export const maxCharacters = 200_000

/** The conversation for the model: the user's first message and the newest part, as much as fits. */
export const render = ({ entries }: Transcript, limit = maxCharacters): { readonly text: string; readonly omitted: number } => {
  const texts = entries.map(({ speaker, text }) => `## ${titles[speaker]}\n\n${text}`)
  const first = Truncate.middle(texts[0] ?? "", Math.floor(limit / 4))
  let from = texts.length
  let size = first.length
  while (from > 1 && size + texts[from - 1]!.length <= limit) size += texts[--from]!.length
  const omitted = Math.max(0, from - 1)
  const note = omitted === 0 ? [] : [`[${omitted} earlier entries were left out.]`]
  return { text: [first, ...note, ...texts.slice(Math.max(1, from))].join("\n\n"), omitted }
}
