/** The words of an event that people search for, and the place where they stand. */
import * as Message from "../message/Message.ts"
import type { Settled } from "./SessionEvent.ts"

/** Empty where an event says nothing. */
export const of = (event: Settled): string => {
  switch (event._tag) {
    case "UserSaid":
      return event.text
    case "SessionNamed":
      return event.name
    case "ModelResponded":
      return event.content.map((part) =>
        part._tag === "Text" || part._tag === "Reasoning" ? part.text
        : part._tag === "ToolCall" ? `${part.name} ${strings(part.params).join(" ")}`
        : "").join("\n")
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

/** What is searched for: words, and phrases in quotation marks. */
export const terms = (query: string): ReadonlyArray<string> =>
  [...query.matchAll(/"([^"]*)"|(\S+)/g)].map(([, phrase, word]) => (phrase ?? word ?? "").trim()).filter((term) => /[\p{L}\p{N}]/u.test(term))

/** Characters before and after a place that is shown. */
const around = 60

/** The text around the first term that stands in it, on one line. */
export const excerpt = (text: string, terms: ReadonlyArray<string>): string => {
  const low = text.toLowerCase()
  const places = terms.map((term) => low.indexOf(term.toLowerCase())).filter((place) => place >= 0)
  const at = places.length === 0 ? 0 : Math.min(...places)
  const from = Math.max(0, at - around)
  const to = Math.min(text.length, at + around)
  return `${from === 0 ? "" : "…"}${text.slice(from, to).replace(/\s+/g, " ").trim()}${to === text.length ? "" : "…"}`
}
