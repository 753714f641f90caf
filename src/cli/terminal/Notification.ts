/** What calls a person back who is elsewhere: a notice of the desktop where the terminal shows one, and the bell. */
import type { Shown } from "../render/view/DisplayText.ts"

type Variables = Readonly<Record<string, string | undefined>>

/** OSC 9 is iTerm2's (also of WezTerm, Ghostty and kitty), OSC 777 that of urxvt (also of foot). */
const nine = (words: Shown): string => `\u001b]9;${words}\u0007`
const sevens = (words: Shown): string => `\u001b]777;notify;dacapo;${words.replaceAll(";", ",")}\u0007`

/** How this terminal shows a notice; undefined for one that is not known to, and inside another that would swallow it. */
const shower = ({ STY = "", TERM = "", TERM_PROGRAM = "", TMUX = "" }: Variables): ((words: Shown) => string) | undefined =>
  TMUX !== "" || STY !== "" ? undefined
  : ["iTerm.app", "WezTerm", "ghostty"].includes(TERM_PROGRAM) || /^xterm-(kitty|ghostty)$/.test(TERM) ? nine
  : /^(foot|rxvt)/.test(TERM) ? sevens
  : undefined

/** What is written to the terminal. `bell` and `notices` are the user's settings; `words` hold no escape, and go on one line. */
export const of = (variables: Variables, wanted: { readonly bell: boolean; readonly notices: boolean }): ((words: Shown) => string) => {
  const show = wanted.notices ? shower(variables) : undefined
  return (words) => `${show?.(words.replaceAll("\n", " ") as Shown) ?? ""}${wanted.bell ? "\u0007" : ""}`
}
