/** The limits of a user message: its length, its attachments, and what happens to longer ones. */
import * as Truncate from "../tool/Truncate.ts"
import * as Mention from "./Mention.ts"

/** How many characters of a text a model is shown in full; the bytes of an attachment. */
export const limits = { text: 1_000_000, attachment: 20 * 1024 * 1024 }

/** Characters of head and tail that are shown of a longer text. */
const maxInlineCharacters = 48_000

/** Why a text is not a valid message; undefined if it is. */
export const messageProblem = (text: string): string | undefined => {
  if (text.trim() === "") return "The message is empty."
  if (text.includes("\uFFFD")) return "The message contains bytes that are not valid UTF-8."
  const count = Mention.find(text.slice(0, limits.text)).length
  return count > Mention.maxMentions
    ? `The message mentions ${count} files and pages; the limit is ${Mention.maxMentions}. Mention fewer, or a folder.` : undefined
}

/** How many characters of a text are sent to a model with this window: a message may not fill it. */
export const maxTextCharacters = ({ window }: { readonly window: number }): number =>
  Math.min(limits.text, Math.max(maxInlineCharacters, Math.floor(window * 1.2)))

/** The placeholder for a longer text, which is stored in full as a blob. */
export const excerpt = (text: string, blob: string): string =>
  `${
    Truncate.middle(text, maxInlineCharacters)
  }\n\n[This text has ${text.length} characters; the middle is omitted. Read all of it with read_file, path "${path(blob)}".]`

const prefix = "attachment:"

/** The name under which a blob can be read like a file. */
export const path = (blob: string): string => `${prefix}${blob}`

/** The blob that such a name refers to; undefined for the name of a file. */
export const blob = (path: string): string | undefined => /(?:^|\/)attachment:([0-9a-f]{64})$/.exec(path)?.[1]
