/** What of files a conversation shows and speaks of: what is in view, what errors name, what the user asks about. */
import * as MessageText from "../message/Message.ts"
import type { Content, Message } from "../message/Message.ts"
import type { Session } from "../session/Session.ts"
import * as Terminal from "../session/LastCommand.ts"
import * as Transcript from "../session/Transcript.ts"
import * as Turns from "./compaction/Turns.ts"

/** Parts of the message that the next request ends with, as far as they are there. */
const coming = ({ calls, said }: Pick<Session, "calls" | "said">): Message => Transcript.userMessage(calls, said, [], undefined)

/** Files of which some content is in view: of these nothing has to be shown again while they are the same. */
export const inView = (session: Session): ReadonlySet<string> => {
  const paths = new Set<string>()
  for (const { content } of [...session.messages, coming(session)]) {
    for (const part of content) {
      if (part._tag !== "Text" && part._tag !== "ToolResult") continue
      for (const { content, path } of part.touched ?? []) if (content !== undefined) paths.add(path)
    }
  }
  return paths
}

/** Parts of files that went along by themselves and are still shown. */
export const included = (messages: ReadonlyArray<Message>): ReadonlyArray<Content> =>
  messages.flatMap(({ content, role }) => role === "user" ? content.filter((part) => part._tag === "Text" && part.origin === "included") : [])

/** What went wrong in the last turns, and in the last check: texts that may name files. */
export const errors = (session: Session): string => {
  const messages = [...session.messages, coming(session)]
  const failed: Array<string> = []
  for (const { result } of Turns.answered(messages, Turns.recent(messages, Turns.kept), messages.length)) {
    if (result.isError) failed.push(MessageText.text(result.content))
  }
  const problems = Terminal.problems(session.terminal)
  return [...failed, ...(problems === undefined ? [] : [problems])].join("\n")
}

/** The user's newest words. */
export const newest = ({ messages, said }: Session): string => {
  const own = (content: ReadonlyArray<Content>): string => MessageText.text(content.filter(Turns.isOwn))
  const now = own(said)
  return now !== "" ? now : own(messages.findLast(({ content, role }) => role === "user" && own(content) !== "")?.content ?? [])
}

/** Whether a text names a file: by its path from anywhere, or by its own name where a line number follows. */
export const names = (text: string, path: string): boolean => {
  for (let at = text.indexOf(path); at !== -1; at = text.indexOf(path, at + 1)) {
    if (!/[\w.-]/.test(text.charAt(at - 1)) && ends(text, at + path.length)) return true
  }
  const name = path.slice(path.lastIndexOf("/") + 1)
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    if (!/[\w.-]/.test(text.charAt(at - 1)) && /^[:(]\d/.test(text.slice(at + name.length, at + name.length + 2))) return true
  }
  return false
}

/** `a.ts` is not `a.tsx`, and may end a sentence. */
const ends = (text: string, at: number): boolean => !/^(?:[\w/-]|\.\w)/.test(text.slice(at, at + 2))

/** Symbols that a text names: what is written like code, in its order, each once. */
export const symbols = (text: string): ReadonlyArray<string> => {
  const found = [...text.slice(0, 20_000).matchAll(/(`?)([A-Za-z_$][\w$]{2,})(`|\()?/g)].flatMap(([, open, name = "", close]) =>
    (open === "`" && close === "`") || close === "(" || /[a-z\d][A-Z]|[A-Za-z]_[A-Za-z]|^[A-Z][a-z]+[A-Z]/.test(name) ? [name] : [])
  return [...new Set(found)].slice(0, 50)
}

const definition = /\b(?:function\*?|class|interface|type|enum|namespace|const|let|var|def|fn|func|struct|trait|impl|mod|module|object|record|protocol|extension)\s+(?:\([^)\n]*\)\s*)?(?:self\.)?([A-Za-z_$][\w$]*)/g

/** Names that a text of code seems to define: a hint for a score, no index. */
export const defines = (text: string): ReadonlySet<string> => new Set([...text.matchAll(definition)].map(([, name = ""]) => name))
