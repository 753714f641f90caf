/** The second pass: results of earlier turns are reduced to their head, their tail and their error lines. */
import type { Content, Message, Origin } from "../../message/Message.ts"
import type { ShortenedPart } from "../../session/SessionEvent.ts"
import * as Tokens from "../Tokens.ts"
import * as Turns from "./Turns.ts"

/** What a shortened text retains: characters of head and tail together, and error lines between them. */
export const limits = { usual: 1_200, min: 400, errors: 30 }

/** Oldest first, in messages before `until`, until `targetTokens` are saved. Unresolved errors stay complete. */
export const find = (
  messages: ReadonlyArray<Message>,
  { targetTokens, keep: characters, spareCalls, until }: {
    readonly until: number
    readonly targetTokens: number
    readonly keep: number
    readonly spareCalls: ReadonlyArray<Turns.ResolvedCall>
  }
): ReadonlyArray<ShortenedPart> => {
  const spareIds = new Set(spareCalls.map(({ result }) => result.id))
  const changes: Array<ShortenedPart> = []
  let savedTokens = 0
  for (let message = 0; message < until; message++) {
    for (const [part, one] of messages[message]!.content.entries()) {
      if (savedTokens >= targetTokens) return changes
      const text = one._tag === "ToolResult" && spareIds.has(one.id) ? undefined : shortenPart(one, characters)
      if (text === undefined) continue
      const gain = Tokens.ofPart(one).tokens - Tokens.ofText(text)
      if (gain <= 0) continue
      changes.push({ message, part, text })
      savedTokens += gain
    }
  }
  return changes
}

/** What remains of a part; undefined if it is short, or text from the user or the model. */
const shortenPart = (part: Content, characters: number): string | undefined => {
  if (part._tag === "Text") return isFromFiles(part.origin) && part.text.length > 2 * characters ? clip(part.text, characters) : undefined
  if (part._tag !== "ToolResult") return undefined
  const images = part.content.filter(({ _tag }) => _tag === "Image").length
  const text = part.content.flatMap((one) => one._tag === "Text" ? [one.text] : []).join("\n")
  if (images === 0 && text.length <= 2 * characters) return undefined
  return [clip(text, characters), ...(images === 0 ? [] : [`[${images === 1 ? "An image was" : `${images} images were`} removed.]`])].join(
    "\n"
  )
}

/** What was carried over is short already: only the last resort shortens it. */
const isFromFiles = (origin: Origin | undefined): boolean => origin === "mention" || origin === "included" || origin === "carried"

const error = /\b(?:error|errors|fail|failed|failure|exception|panic|fatal|traceback|assertion|undefined reference|not found)\b|✗|✘|×/i

/** Head and tail, cut at line ends where these are near, complete error lines between them, and the number of missing lines. */
export const clip = (text: string, characters: number): string => {
  if (text.length <= characters) return text
  const half = characters >> 1
  const headEnd = lineEnd(text, half)
  const tailStart = Math.max(headEnd, text.length - half + Math.max(0, text.slice(-half).indexOf("\n") + 1))
  const middle = text.slice(headEnd, tailStart).split("\n")
  const errors = middle.filter((line) => error.test(line))
  const errorLines = errors.slice(0, limits.errors).map((line) => line.slice(0, 500))
  const omittedLines = middle.length - errorLines.length
  return [
    text.slice(0, headEnd),
    ...(omittedLines > 0 || errorLines.length === 0
      ? [`[… ${middle.length} lines shortened to ${errorLines.length}; read again what you need …]`] : []),
    ...errorLines,
    text.slice(tailStart)
  ].join("\n")
}

/** The end of the last line within `maxEnd` characters, or `maxEnd` where a line is longer; never splits a character. */
const lineEnd = (text: string, maxEnd: number): number => {
  const at = text.lastIndexOf("\n", maxEnd)
  const end = at > maxEnd / 2 ? at : maxEnd
  const unit = text.charCodeAt(end - 1)
  return unit >= 0xd800 && unit <= 0xdbff ? end - 1 : end
}
