/** Notifications for a user who is elsewhere: a desktop notification where the terminal supports it, and the bell. */
import type { SafeText } from "../render/view/DisplayText.ts"

type Variables = Readonly<Record<string, string | undefined>>

/** OSC 9 is from iTerm2 (also WezTerm, Ghostty and kitty), OSC 777 from urxvt (also foot). */
const osc9 = (text: SafeText): string => `\u001b]9;${text}\u0007`
const osc777 = (text: SafeText): string => `\u001b]777;notify;dacapo;${text.replaceAll(";", ",")}\u0007`

/** The escape sequence for this terminal; undefined for unknown terminals, and inside multiplexers, which would drop it. */
const sequenceFor = ({ STY = "", TERM = "", TERM_PROGRAM = "", TMUX = "" }: Variables): ((text: SafeText) => string) | undefined =>
  TMUX !== "" || STY !== "" ? undefined
    : ["iTerm.app", "WezTerm", "ghostty"].includes(TERM_PROGRAM) || /^xterm-(kitty|ghostty)$/.test(TERM) ? osc9
    : /^(foot|rxvt)/.test(TERM) ? osc777
    : undefined

/** Encodes a notification. `bell` and `notices` are the user's settings; the text is written on one line. */
export const of = (variables: Variables, options: { readonly bell: boolean; readonly notices: boolean }): (text: SafeText) => string => {
  const sequence = options.notices ? sequenceFor(variables) : undefined
  return (text) => `${sequence?.(text.replaceAll("\n", " ") as SafeText) ?? ""}${options.bell ? "\u0007" : ""}`
}
