/** A conversation in turns: a model response and the results sent back. Compaction works in whole turns. */
import type { Content, Message, ToolCall, ToolResult } from "../../message/Message.ts"

/** Turns at the end that stay unchanged while anything else can be made smaller. */
export const recentTurns = 3

/** Where each turn begins: the indexes of the model's messages. */
export const starts = (messages: ReadonlyArray<Message>): ReadonlyArray<number> =>
  messages.flatMap(({ role }, i) => role === "assistant" ? [i] : [])

/** Where the last `count` turns begin; 0 if there are no more than these. */
export const recent = (messages: ReadonlyArray<Message>, count: number): number => {
  let remaining = count
  for (let i = messages.length - 1; i > 0; i--) {
    if (messages[i]!.role === "assistant" && --remaining === 0) return i
  }
  return 0
}

/** What the user wrote or attached, as opposed to what we added to it. */
export const isUserContent = (part: Content): boolean =>
  part._tag === "Image" || part._tag === "Document" || (part._tag === "Text" && part.origin === undefined)

/** A result with its position and its call. */
export interface ResolvedCall {
  readonly message: number
  readonly part: number
  readonly result: ToolResult
  readonly call: ToolCall | undefined
  /** Where the call stands in the preceding message. */
  readonly callIndex: number
}

/** Results of messages `from` up to `to`, newest first. */
export function* resolvedCalls(messages: ReadonlyArray<Message>, from: number, to: number): Generator<ResolvedCall> {
  for (let message = to - 1; message >= from; message--) {
    const { content, role } = messages[message]!
    if (role !== "user") continue
    const previousContent = messages[message - 1]?.content ?? []
    for (let part = content.length - 1; part >= 0; part--) {
      const result = content[part]!
      if (result._tag !== "ToolResult") continue
      const callIndex = previousContent.findIndex((one) => one._tag === "ToolCall" && one.id === result.id)
      yield { message, part, result, callIndex, call: callIndex === -1 ? undefined : previousContent[callIndex] as ToolCall }
    }
  }
}

/** Errors that no later success of the same call resolved; the newest few. */
export const unresolved = (messages: ReadonlyArray<Message>): ReadonlyArray<ResolvedCall> => {
  const succeededKeys = new Set<string>()
  const openErrors: Array<ResolvedCall> = []
  for (const resolved of resolvedCalls(messages, 0, messages.length)) {
    const key = callKey(resolved)
    if (!resolved.result.isError) succeededKeys.add(key)
    else if (!succeededKeys.has(key)) {
      succeededKeys.add(key) // an older error with the same target adds nothing
      if (openErrors.push(resolved) === maxErrors) break
    }
  }
  return openErrors
}

const maxErrors = 5

/** What a call was about: its tool and the first text argument. */
export const callKey = ({ call, result }: ResolvedCall): string => {
  const first = call === undefined ? undefined : Object.values(call.params as object).find((value) => typeof value === "string")
  return `${result.name} ${first ?? ""}`
}

/** The newest edit of each file among `from` up to `to`, newest first. */
export const newestEdits = (messages: ReadonlyArray<Message>, from: number, to: number): ReadonlyArray<ResolvedCall> => {
  const seenPaths = new Set<string>()
  return [...resolvedCalls(messages, from, to)].filter(({ result: { isError, touched = [] } }) => {
    const newTouches = isError ? [] : touched.filter(({ kind, path }) => kind !== "read" && !seenPaths.has(path))
    for (const { path } of newTouches) seenPaths.add(path)
    return newTouches.length > 0
  })
}
