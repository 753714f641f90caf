/**
 * The first pass: only the newest content of each file stays. What an earlier read, mention or full write showed
 * becomes a line that points to the newest. Automatically included files are the first to go.
 */
import type { Content, Message, ToolCall } from "../../message/Message.ts"
import type { ShortenedPart } from "../../session/SessionEvent.ts"
import { covers, type Extent, type Touch } from "../../workspace/Touch.ts"

interface NewerTouch {
  readonly extent: Extent
  readonly location: string
}

/** Changes to messages before `until`. Linear in the parts of the messages. */
export const find = (messages: ReadonlyArray<Message>, until: number): ReadonlyArray<ShortenedPart> => {
  const newest = new Map<string, Array<NewerTouch>>()
  const changes: Array<ShortenedPart> = []
  for (let message = messages.length - 1; message >= 0; message--) {
    const { content } = messages[message]!
    for (let part = content.length - 1; part >= 0; part--) {
      const touches = touchesOf(content[part]!)
      if (touches.length === 0) continue
      const newerTouches = touches.map(({ content, path }) =>
        newest.get(path)?.find(({ extent }) => content !== undefined && covers(extent, content))
      )
      const isSuperseded = newerTouches.every((one) => one !== undefined)
      const isRemovable = isRemovableInclude(content[part]!)
      if ((isSuperseded || isRemovable) && message < until) {
        const text = isSuperseded ? duplicateNotice(touches, newerTouches.map((one) => one!.location)) : removalNotice(touches)
        const change = shortenedPart(messages, message, part, touches, text)
        if (change !== undefined) changes.push(change)
      }
      for (const touch of isSuperseded || (isRemovable && message < until) ? [] : touches) {
        const list = newest.get(touch.path) ?? []
        list.push({ extent: touch.content ?? "all", location: locationOf(content[part]!, touch) })
        newest.set(touch.path, list)
      }
    }
  }
  return changes.reverse()
}

/** Files whose content a part shows, and files it deleted. */
const touchesOf = (part: Content): ReadonlyArray<Touch> =>
  part._tag === "Text" || part._tag === "ToolResult"
    ? part.touched?.filter(({ content, kind }) => content !== undefined || kind === "deleted") ?? []
    : []

const locationOf = (part: Content, { kind }: Touch): string =>
  part._tag !== "ToolResult" ? (isRemovableInclude(part) ? "shown again" : "mentioned by the user")
    : kind === "deleted" ? `deleted by ${part.id}`
    : `${part.name} ${part.id}`

/** Content that nobody asked for. */
const isRemovableInclude = (part: Content): boolean => part._tag === "Text" && part.origin === "included"

const removalNotice = (touches: ReadonlyArray<Touch>): string =>
  `[${touches.map(({ path }) => path).join(", ")} was shown here; read it again if you need it.]`

/** Short: there may be a thousand of them, and each counts. */
const duplicateNotice = (touches: ReadonlyArray<Touch>, locations: ReadonlyArray<string>): string =>
  `[${touches.map(({ path }, i) => `Newer content of ${path} below: ${locations[i]}`).join("; ")}]`

/** The change that leaves the content out, if it makes anything smaller. Written content stands in the call's params. */
const shortenedPart = (
  messages: ReadonlyArray<Message>,
  message: number,
  part: number,
  touches: ReadonlyArray<Touch>,
  text: string
): ShortenedPart | undefined => {
  const content = messages[message]!.content[part]!
  if (content._tag === "ToolResult" && touches.some(({ kind }) => kind !== "read")) {
    const previousContent = messages[message - 1]?.content ?? []
    const at = previousContent.findIndex((call) => call._tag === "ToolCall" && call.id === content.id)
    const param = at === -1 ? undefined : longestParam(previousContent[at] as ToolCall)
    return param === undefined || param.length <= text.length ? undefined : { message: message - 1, part: at, param: param.name, text }
  }
  const length = content._tag === "Text" ? content.text.length : content._tag === "ToolResult" ? textLength(content.content) : 0
  return length <= text.length ? undefined : { message, part, text }
}

const textLength = (content: ReadonlyArray<Content>): number =>
  content.reduce((sum, part) => sum + (part._tag === "Text" ? part.text.length : 0), 0)

const longestParam = ({ params }: ToolCall): { readonly name: string; readonly length: number } | undefined =>
  Object.entries(params as object)
    .flatMap(([name, value]) => typeof value === "string" ? [{ name, length: value.length }] : [])
    .sort((a, b) => b.length - a.length)[0]
