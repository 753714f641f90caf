/** What a message of the user may be: how long, with how many attachments, and what becomes of what is longer. */
import * as Clip from "../tool/Clip.ts"
import * as Mention from "./Mention.ts"

/** Characters of a text that a model is shown whole; bytes of an attachment. */
export const limits = { text: 1_000_000, attachment: 20 * 1024 * 1024 }

/** Characters of head and tail that are shown of a longer text. */
const shown = 48_000

/** Why a text is no message; undefined where it is one. */
export const problem = (text: string): string | undefined => {
  if (text.trim() === "") return "The message is empty."
  if (text.includes("\uFFFD")) return "The message holds bytes that are not UTF-8."
  const count = Mention.find(text.slice(0, limits.text)).length
  return count > Mention.most ? `The message names ${count} files and pages; it may name ${Mention.most}. Name fewer, or a folder.` : undefined
}

/** How many characters of a text go to a model with this window: a message may not fill it. */
export const most = ({ window }: { readonly window: number }): number => Math.min(limits.text, Math.max(shown, Math.floor(window * 1.2)))

/** What stands for a text that is longer, of which the whole is kept as a blob. */
export const excerpt = (text: string, blob: string): string =>
  `${Clip.middle(text, shown)}\n\n[This text has ${text.length} characters; its middle is left out. Page through all of it: read_file with path "${path(blob)}".]`

const prefix = "attachment:"

/** The name under which a blob is read like a file. */
export const path = (blob: string): string => `${prefix}${blob}`

/** The blob that such a name means; undefined for the name of a file. */
export const blob = (path: string): string | undefined => /(?:^|\/)attachment:([0-9a-f]{64})$/.exec(path)?.[1]
