/** A conversation in turns: an answer, and what came back to it. What compaction may touch is told in whole turns. */
import type { Content, Message, ToolCall, ToolResult } from "../../message/Message.ts"

/** Turns at the end that stay as they are while anything else can be made smaller. */
export const kept = 3

/** Where each turn begins: the places of the answers. */
export const starts = (messages: ReadonlyArray<Message>): ReadonlyArray<number> =>
  messages.flatMap(({ role }, i) => role === "assistant" ? [i] : [])

/** Where the last `count` turns begin; 0 where there are no more than these. */
export const recent = (messages: ReadonlyArray<Message>, count: number): number => {
  let left = count
  for (let i = messages.length - 1; i > 0; i--) {
    if (messages[i]!.role === "assistant" && --left === 0) return i
  }
  return 0
}

/** What the user said or attached, as opposed to what we put beside it. */
export const isOwn = (part: Content): boolean =>
  part._tag === "Image" || part._tag === "Document" || (part._tag === "Text" && part.origin === undefined)

/** A result with its place and its call. */
export interface Answered {
  readonly message: number
  readonly part: number
  readonly result: ToolResult
  readonly call: ToolCall | undefined
  /** Where the call stands in the message before. */
  readonly at: number
}

/** Results of messages `from` up to `to`, newest first. */
export function* answered(messages: ReadonlyArray<Message>, from: number, to: number): Generator<Answered> {
  for (let message = to - 1; message >= from; message--) {
    const { content, role } = messages[message]!
    if (role !== "user") continue
    const before = messages[message - 1]?.content ?? []
    for (let part = content.length - 1; part >= 0; part--) {
      const result = content[part]!
      if (result._tag !== "ToolResult") continue
      const at = before.findIndex((one) => one._tag === "ToolCall" && one.id === result.id)
      yield { message, part, result, at, call: at === -1 ? undefined : before[at] as ToolCall }
    }
  }
}

/** Errors that no later success of the same call made good; the newest few. */
export const unresolved = (messages: ReadonlyArray<Message>): ReadonlyArray<Answered> => {
  const succeeded = new Set<string>()
  const open: Array<Answered> = []
  for (const one of answered(messages, 0, messages.length)) {
    const key = aim(one)
    if (!one.result.isError) succeeded.add(key)
    else if (!succeeded.has(key)) {
      succeeded.add(key) // an older error of the same aim says no more
      if (open.push(one) === mostErrors) break
    }
  }
  return open
}

const mostErrors = 5

/** What a call was about: its tool and the first text that it was given. */
export const aim = ({ call, result }: Answered): string => {
  const first = call === undefined ? undefined : Object.values(call.params as object).find((value) => typeof value === "string")
  return `${result.name} ${first ?? ""}`
}

/** The newest edit of each file among `from` up to `to`, newest first. */
export const newestEdits = (messages: ReadonlyArray<Message>, from: number, to: number): ReadonlyArray<Answered> => {
  const seen = new Set<string>()
  return [...answered(messages, from, to)].filter(({ result: { isError, touched = [] } }) => {
    const fresh = isError ? [] : touched.filter(({ kind, path }) => kind !== "read" && !seen.has(path))
    for (const { path } of fresh) seen.add(path)
    return fresh.length > 0
  })
}
