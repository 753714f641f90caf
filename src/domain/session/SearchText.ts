/** The searchable text of an event, and where it is. */
import * as Message from "../message/Message.ts"
import type { Settled } from "./SessionEvent.ts"

/** Empty if an event has no text. */
export const searchText = (event: Settled): string => {
  switch (event._tag) {
    case "UserSaid":
      return event.text
    case "SessionNamed":
      return event.name
    case "ModelResponded":
      return event.content.map((part) =>
        part._tag === "Text" || part._tag === "Reasoning" ? part.text
          : part._tag === "ToolCall" ? `${part.name} ${strings(part.params).join(" ")}`
          : ""
      ).join("\n")
    case "ToolFinished":
      return Message.text(event.outcome.content)
    case "TaskFinished":
      return event.result
    case "TaskFailed":
      return event.message
    default:
      return ""
  }
}

const strings = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string" ? [value]
    : typeof value === "object" && value !== null ? Object.values(value).flatMap(strings)
    : []

/** The search query: words, and phrases in quotation marks. */
export const terms = (query: string): ReadonlyArray<string> =>
  [...query.matchAll(/"([^"]*)"|(\S+)/g)].map(([, phrase, token]) => (phrase ?? token ?? "").trim()).filter((term) =>
    /[\p{L}\p{N}]/u.test(term)
  )

/** Characters shown before and after a match. */
const contextCharacters = 60

/** The text around the first matching term, on one line. */
export const excerpt = (text: string, terms: ReadonlyArray<string>): string => {
  const lowerText = text.toLowerCase()
  const positions = terms.map((term) => lowerText.indexOf(term.toLowerCase())).filter((position) => position >= 0)
  const at = positions.length === 0 ? 0 : Math.min(...positions)
  const from = Math.max(0, at - contextCharacters)
  const to = Math.min(text.length, at + contextCharacters)
  return `${from === 0 ? "" : "…"}${text.slice(from, to).replace(/\s+/g, " ").trim()}${to === text.length ? "" : "…"}`
}
