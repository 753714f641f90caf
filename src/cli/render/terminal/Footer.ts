/** What stands below the conversation: the plan, the input line or what is chosen from, the status, a hint. */
import { after, filled } from "./LineEditor.ts"
import * as Lines from "../text/BlockLines.ts"
import * as Picker from "./Picker.ts"
import * as Recall from "./HistorySearch.ts"
import { choosing, offered, type Screen } from "./Screen.ts"
import * as Status from "../text/StatusLine.ts"
import type { Theme } from "../text/Theme.ts"
import { text, type Shown } from "../view/View.ts"
import * as Wrap from "../text/Wrap.ts"

/** The terminal's cells. */
export interface Size {
  readonly columns: number
  readonly rows: number
}

export const lines = (screen: Screen, theme: Theme, { columns, rows }: Size): ReadonlyArray<string> => [
  theme.dim("─".repeat(Math.min(24, columns))),
  ...(screen.picker !== undefined ? picking(screen.picker, theme, { columns, rows })
    : choosing(screen) ? Wrap.items(choices(screen, theme), "   ", columns)
    : [...input(screen, theme, { columns, rows }), ...offering(screen, theme, columns)]),
  ...(screen.view.status.model === "" ? [] : [Status.fitted(screen.view.status, running(screen), theme, columns)]),
  ...Wrap.lines(theme.dim(hint(screen)), columns)
]

/** Commands, and sessions that this one gave work to. */
const running = ({ progress }: Screen): number =>
  [...progress.running.values()].filter(({ kind }) => kind === "child" || kind === "command").length

/** The answers that an approval takes, and what each key does. */
const choices = ({ alike, armed, folded, unread, waiting, ...screen }: Screen, theme: Theme): ReadonlyArray<string> => {
  if (waiting?._tag !== "Approval" || !armed) return [theme.dim("…")]
  return [
    ["y", waiting.question.risk === "high" ? "once" : "once (Enter)"],
    ...(offered({ ...screen, alike, armed, folded, unread, waiting }) ? [["s", "this session"], ["a", "always"]] : []),
    ...(alike.length === 0 ? [] : [["m", `all ${alike.length + 1} once`]]),
    ...(unread.length === 0 ? [] : [["space", "show the rest"]]),
    ...(folded === undefined ? [] : [["d", "diff"]]),
    ["e", "edit"],
    ["n", "no, with words"]
  ].map(([key, does]) => `${theme.bold(theme.accent(key!))} ${does}`)
}

/** What is typed, with the cursor; of more than a third of the screen the rows around it. */
const input = ({ editor: typed, recall, refusing, waiting }: Screen, theme: Theme, { columns, rows }: Size): ReadonlyArray<string> => {
  const editor = recall === undefined ? typed : filled(typed, Recall.found(typed, recall) ?? "")
  const sign = refusing ? "Why not? " : waiting?._tag === "Question" ? "Answer: " : "> "
  const at = after(editor)
  const under = editor.text.slice(editor.cursor, at)
  const mark = (cell: string) => `\u001b[7m${cell}\u001b[27m`
  const marked = [
    text(editor.text.slice(0, editor.cursor)),
    under === "" ? mark(" ") : under === "\n" ? `${mark(" ")}\n` : mark(text(under)),
    text(editor.text.slice(at))
  ].join("")
  const all = marked.split("\n").flatMap((line) => Wrap.typed(line, sign.length, columns))
  const most = Math.max(3, Math.floor(rows / 3))
  const here = all.findIndex((line) => line.includes("\u001b[7m"))
  const from = Math.max(0, Math.min(here - (most >> 1), all.length - most))
  const shown = all.slice(from, from + most)
  const below = all.length - from - shown.length
  return [
    ...(from === 0 ? [] : [theme.dim(`  ${from} lines above`)]),
    ...shown.map((line, i) => `${from + i === 0 ? theme.accent(sign) : " ".repeat(sign.length)}${line}`),
    ...(below === 0 ? [] : [theme.dim(`  ${below} lines below`)])
  ]
}

/** A list with the chosen line marked, scrolled so that it is seen. */
const picking = (picker: Picker.Picker, theme: Theme, { columns, rows }: Size): ReadonlyArray<string> => {
  const found = Picker.matching(picker)
  const shown = Math.max(3, Math.min(10, rows - 8))
  const from = Math.max(0, Math.min(picker.at - (shown >> 1), found.length - shown))
  return [
    ...Wrap.lines(theme.bold(picker.title), columns),
    ...found.slice(from, from + shown).map((option, i) => marked(picker.options[option]!, from + i === picker.at, theme, columns)),
    ...(found.length > shown ? [theme.dim(`  ${found.length} in all`)] : found.length === 0 ? [theme.dim("  nothing like that")] : []),
    `${theme.accent("/ ")}${text(picker.typed)}`
  ]
}

const offering = ({ offer }: Screen, theme: Theme, columns: number): ReadonlyArray<string> =>
  offer === undefined ? [] : offer.options.map((option, i) => marked(text(option), i === offer.at, theme, columns))

const marked = (option: Shown, chosen: boolean, theme: Theme, columns: number): string => {
  const line = Lines.cut(option, columns - 2)
  return chosen ? `${theme.accent("›")} ${theme.bold(line)}` : `  ${line}`
}

const hint = ({ editor, hint, interrupting, leaving, now, offer, picker, recall, refusing, view, waiting }: Screen): string =>
  hint ??
    (picker !== undefined ? "Enter chooses, Esc goes back, letters narrow"
    : recall !== undefined ? `looking back for "${text(recall.typed)}"${Recall.found(editor, recall) === undefined ? ": nothing" : "; Ctrl-R older, Enter takes it, Esc goes back"}`
    : offer !== undefined ? "Tab takes it, Up and Down choose, Esc goes on typing"
    : interrupting ? "interrupting; Ctrl-C leaves at once"
    : leaving ? "Ctrl-C again leaves"
    : refusing ? "Enter refuses with these words, Esc goes back"
    : waiting?._tag === "Question" ? "Enter answers"
    : waiting !== undefined ? "waiting for you"
    : view.pause !== undefined ? Lines.pause(view.pause, now)
    : view.working ? "working: Enter steers, Tab queues, Esc interrupts"
    : "Enter sends, Shift-Tab plan/act, /help")
