/**
 * The first pass: of each file only the newest content stays. What an earlier read, mention or whole write showed
 * becomes a line that says where the newest is. Files that went along by themselves are the first to go.
 */
import type { Content, Message, ToolCall } from "../../message/Message.ts"
import type { Shortened } from "../../session/SessionEvent.ts"
import { covers, type Extent, type Touch } from "../../workspace/Touch.ts"

interface Newer {
  readonly extent: Extent
  readonly where: string
}

/** Changes to messages before `until`. Linear in the parts of the messages. */
export const find = (messages: ReadonlyArray<Message>, until: number): ReadonlyArray<Shortened> => {
  const newest = new Map<string, Array<Newer>>()
  const found: Array<Shortened> = []
  for (let message = messages.length - 1; message >= 0; message--) {
    const { content } = messages[message]!
    for (let part = content.length - 1; part >= 0; part--) {
      const shows = shown(content[part]!)
      if (shows.length === 0) continue
      const newer = shows.map(({ content, path }) => newest.get(path)?.find(({ extent }) => content !== undefined && covers(extent, content)))
      const lost = newer.every((one) => one !== undefined)
      const spare = isSpare(content[part]!)
      if ((lost || spare) && message < until) {
        const text = lost ? notice(shows, newer.map((one) => one!.where)) : gone(shows)
        const change = shorter(messages, message, part, shows, text)
        if (change !== undefined) found.push(change)
      }
      for (const touch of lost || (spare && message < until) ? [] : shows) {
        const list = newest.get(touch.path) ?? []
        list.push({ extent: touch.content ?? "all", where: where(content[part]!, touch) })
        newest.set(touch.path, list)
      }
    }
  }
  return found.reverse()
}

/** Files whose content a part shows, and those that are gone. */
const shown = (part: Content): ReadonlyArray<Touch> =>
  part._tag === "Text" || part._tag === "ToolResult"
    ? part.touched?.filter(({ content, kind }) => content !== undefined || kind === "deleted") ?? []
    : []

const where = (part: Content, { kind }: Touch): string =>
  part._tag !== "ToolResult" ? (isSpare(part) ? "where it is shown again" : "where the user names it")
  : kind === "deleted" ? `deleted by ${part.id}`
  : `${part.name} ${part.id}`

/** What nobody asked for. */
const isSpare = (part: Content): boolean => part._tag === "Text" && part.origin === "included"

const gone = (shows: ReadonlyArray<Touch>): string => `[${shows.map(({ path }) => path).join(", ")} stood here; read it where you need it.]`

/** Short: there may be a thousand of them, and each is counted. */
const notice = (shows: ReadonlyArray<Touch>, places: ReadonlyArray<string>): string =>
  `[${shows.map(({ path }, i) => `Newest content of ${path} is below: ${places[i]}`).join("; ")}]`

/** The change that leaves the content out, where it makes anything smaller. What was written stands in the call's params. */
const shorter = (
  messages: ReadonlyArray<Message>,
  message: number,
  part: number,
  shows: ReadonlyArray<Touch>,
  text: string
): Shortened | undefined => {
  const one = messages[message]!.content[part]!
  if (one._tag === "ToolResult" && shows.some(({ kind }) => kind !== "read")) {
    const before = messages[message - 1]?.content ?? []
    const at = before.findIndex((call) => call._tag === "ToolCall" && call.id === one.id)
    const param = at === -1 ? undefined : longest(before[at] as ToolCall)
    return param === undefined || param.length <= text.length ? undefined : { message: message - 1, part: at, param: param.name, text }
  }
  const length = one._tag === "Text" ? one.text.length : one._tag === "ToolResult" ? textLength(one.content) : 0
  return length <= text.length ? undefined : { message, part, text }
}

const textLength = (content: ReadonlyArray<Content>): number =>
  content.reduce((sum, part) => sum + (part._tag === "Text" ? part.text.length : 0), 0)

const longest = ({ params }: ToolCall): { readonly name: string; readonly length: number } | undefined =>
  Object.entries(params as object)
    .flatMap(([name, value]) => typeof value === "string" ? [{ name, length: value.length }] : [])
    .sort((a, b) => b.length - a.length)[0]
