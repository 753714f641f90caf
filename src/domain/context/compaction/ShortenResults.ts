/** The second pass: results of earlier turns keep their head, their tail and their error lines. */
import type { Content, Message, Origin } from "../../message/Message.ts"
import type { Shortened } from "../../session/SessionEvent.ts"
import * as Tokens from "../Tokens.ts"
import * as Turns from "./Turns.ts"

/** Characters of head and tail together that a shortened text keeps, and lines of errors between them. */
export const keep = { usual: 1_200, least: 400, errors: 30 }

/** Oldest first, in messages before `until`, until `enough` tokens of ours are saved. Unresolved errors stay whole. */
export const find = (
  messages: ReadonlyArray<Message>,
  { enough, keep: characters, spare, until }: {
    readonly until: number
    readonly enough: number
    readonly keep: number
    readonly spare: ReadonlyArray<Turns.Answered>
  }
): ReadonlyArray<Shortened> => {
  const spared = new Set(spare.map(({ result }) => result.id))
  const found: Array<Shortened> = []
  let saved = 0
  for (let message = 0; message < until; message++) {
    for (const [part, one] of messages[message]!.content.entries()) {
      if (saved >= enough) return found
      const text = one._tag === "ToolResult" && spared.has(one.id) ? undefined : shorter(one, characters)
      if (text === undefined) continue
      const won = Tokens.ofPart(one).tokens - Tokens.ofText(text)
      if (won <= 0) continue
      found.push({ message, part, text })
      saved += won
    }
  }
  return found
}

/** What stays of a part; undefined where it is short, or what the user or the model said. */
const shorter = (part: Content, characters: number): string | undefined => {
  if (part._tag === "Text") return isOfFiles(part.origin) && part.text.length > 2 * characters ? clip(part.text, characters) : undefined
  if (part._tag !== "ToolResult") return undefined
  const images = part.content.filter(({ _tag }) => _tag === "Image").length
  const text = part.content.flatMap((one) => one._tag === "Text" ? [one.text] : []).join("\n")
  if (images === 0 && text.length <= 2 * characters) return undefined
  return [clip(text, characters), ...(images === 0 ? [] : [`[${images === 1 ? "An image is" : `${images} images are`} not shown any more.]`])].join("\n")
}

/** What is carried is short: only the last resort makes it shorter. */
const isOfFiles = (origin: Origin | undefined): boolean => origin === "mention" || origin === "included" || origin === "carried"

const error = /\b(?:error|errors|fail|failed|failure|exception|panic|fatal|traceback|assertion|undefined reference|not found)\b|✗|✘|×/i

/** Head and tail at line ends where lines are near, error lines between them whole, and how many lines are missing. */
export const clip = (text: string, characters: number): string => {
  if (text.length <= characters) return text
  const half = characters >> 1
  const headEnd = lineEnd(text, half)
  const tailStart = Math.max(headEnd, text.length - half + Math.max(0, text.slice(-half).indexOf("\n") + 1))
  const middle = text.slice(headEnd, tailStart).split("\n")
  const errors = middle.filter((line) => error.test(line))
  const shown = errors.slice(0, keep.errors).map((line) => line.slice(0, 500))
  const missing = middle.length - shown.length
  return [
    text.slice(0, headEnd),
    ...(missing > 0 || shown.length === 0 ? [`[… ${middle.length} lines shortened to ${shown.length}; ask again for what you need …]`] : []),
    ...shown,
    text.slice(tailStart)
  ].join("\n")
}

/** The end of the last line within `most` characters, or `most` where a line is longer; never half a character. */
const lineEnd = (text: string, most: number): number => {
  const at = text.lastIndexOf("\n", most)
  const end = at > most / 2 ? at : most
  const unit = text.charCodeAt(end - 1)
  return unit >= 0xd800 && unit <= 0xdbff ? end - 1 : end
}
