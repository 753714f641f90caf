/** The lines below the conversation: the input line or a list of options, the status line, and a hint. */
import { graphemeEnd, withText } from "./LineEditor.ts"
import * as BlockLines from "../text/BlockLines.ts"
import * as Picker from "./Picker.ts"
import * as KeyHelp from "./KeyHelp.ts"
import * as HistorySearch from "./HistorySearch.ts"
import * as ApprovalChoices from "./ApprovalChoices.ts"
import { isChoosing, isReady, isRunningCommand, type Screen } from "./Screen.ts"
import * as TodoEditor from "./TodoEditor.ts"
import * as StatusLine from "../text/StatusLine.ts"
import type { Theme } from "../text/Theme.ts"
import { line, text, type SafeText, type Status } from "../view/View.ts"
import * as Wrap from "../text/Wrap.ts"

/** The terminal's size in cells. */
export interface Size {
  readonly columns: number
  readonly rows: number
}

export const lines = (screen: Screen, theme: Theme, { columns, rows }: Size): ReadonlyArray<string> => [
  theme.dim("─".repeat(Math.min(24, columns))),
  ...(screen.todoEditor !== undefined ? TodoEditor.lines(screen.todoEditor, theme, { columns, rows })
    : screen.picker !== undefined ?
    [
      ...pickerLines(screen.picker, theme, { columns, rows }),
      ...(isReady(screen) ? filterLine(screen.picker, theme) : input(screen, theme, { columns, rows }))
    ]
    : isChoosing(screen) ? choiceLines(screen, theme, columns)
    : [
      ...queueLines(screen, theme, columns),
      ...answerLines(screen, theme, columns),
      ...input(screen, theme, { columns, rows }),
      ...(screen.showsKeys ? KeyHelp.lines.map((line) => theme.dim(`  ${BlockLines.cut(text(line), columns - 2)}`)) : []),
      ...suggestionLines(screen, theme, { columns, rows })
    ]),
  ...(screen.view.status.model === "" ? [] : [StatusLine.fit(status(screen), running(screen), theme, columns)]),
  ...Wrap.lines(theme.dim(hint(screen, columns)), columns)
]

/** Messages that wait here count beside those that wait in the session. */
const status = ({ queued, view: { status } }: Screen): Status => ({ ...status, queued: status.queued + queued.length })

/** How many lines of queued messages are shown. */
const maxQueueLines = 5

/** The queued messages, the first line of each. */
const queueLines = ({ queued }: Screen, theme: Theme, columns: number): ReadonlyArray<string> =>
  queued.slice(-maxQueueLines).map((message, i, messages) => {
    const note = ` (queued${i === messages.length - 1 ? "; Up to edit" : ""})`
    return `${theme.accent(">")} ${BlockLines.cut(text(message), columns - 2 - note.length)}${theme.dim(note)}`
  })

/** Running commands and subagents. */
const running = ({ progress, runningCommands }: Screen): number => {
  const kinds = [...progress.running.values()].map(({ kind }) => kind)
  return kinds.filter((kind) => kind === "child").length + Math.max(runningCommands, kinds.filter((kind) => kind === "command").length)
}

/** The answers to an approval, each with its key. */
const choiceLines = (screen: Screen, theme: Theme, columns: number): ReadonlyArray<string> =>
  ApprovalChoices.of(screen).flatMap(({ key, label }, i) =>
    answerLine(key === " " ? "␣" : key, label, i === screen.selectedChoice, theme, columns)
  )

/** The answers that the model suggests, by number. */
const answerLines = (screen: Screen, theme: Theme, columns: number): ReadonlyArray<string> =>
  screen.pending?._tag !== "Question" || !isReady(screen) ? []
    : screen.pending.options.flatMap((option, i) => answerLine(`${i + 1}`, text(option), i === screen.selectedChoice, theme, columns))

const answerLine = (key: string, label: SafeText, isSelected: boolean, theme: Theme, columns: number): ReadonlyArray<string> =>
  Wrap.row(
    `${isSelected ? theme.accent("›") : " "} ${theme.bold(theme.accent(key))}  `,
    isSelected ? theme.bold(label) : label,
    columns,
    { hard: true }
  )

/** The input line with its cursor; of a text higher than a third of the screen, the rows around the cursor. */
const input = (screen: Screen, theme: Theme, { columns, rows }: Size): ReadonlyArray<string> => {
  const { editor: input, historySearch, isRefusing, pending } = screen
  const editor = historySearch === undefined ? input : withText(input, HistorySearch.match(input, historySearch) ?? "")
  const sign = isRefusing ? "Tell the agent: " : pending?._tag === "Question" && isReady(screen) ? "Answer: " : "> "
  const cursorEnd = graphemeEnd(editor)
  const cursorText = editor.text.slice(editor.cursor, cursorEnd)
  const inverted = [
    text(editor.text.slice(0, editor.cursor)),
    cursorText === "" ? invert(" ") : cursorText === "\n" ? `${invert(" ")}\n` : invert(text(cursorText)),
    text(editor.text.slice(cursorEnd))
  ].join("")
  const lines = inverted.split("\n").flatMap((line) => Wrap.inputLines(line, sign.length, columns))
  const maxLines = Math.max(3, Math.floor(rows / 3))
  const cursorLine = lines.findIndex((line) => line.includes("\u001b[7m"))
  const firstLine = Math.max(0, Math.min(cursorLine - (maxLines >> 1), lines.length - maxLines))
  const visible = lines.slice(firstLine, firstLine + maxLines)
  const hiddenBelow = lines.length - firstLine - visible.length
  return [
    ...(firstLine === 0 ? [] : [theme.dim(`  ${BlockLines.plural(firstLine, "line")} above`)]),
    ...visible.map((line, i) => `${firstLine + i === 0 ? theme.accent(sign) : " ".repeat(sign.length)}${line}`),
    ...(hiddenBelow === 0 ? [] : [theme.dim(`  ${BlockLines.plural(hiddenBelow, "line")} below`)])
  ]
}

/** A list, scrolled so that the selected option is visible. */
const pickerLines = (picker: Picker.Picker, theme: Theme, { columns, rows }: Size): ReadonlyArray<string> => {
  const matches = Picker.matches(picker)
  const maxOptions = Math.max(3, Math.min(Picker.maxRows, rows - 8))
  const firstOption = Math.max(0, Math.min(picker.selected - (maxOptions >> 1), matches.length - maxOptions))
  return [
    ...Wrap.lines(theme.bold(picker.title), columns),
    ...matches.slice(firstOption, firstOption + maxOptions).map((option, i) =>
      optionLine(Picker.label(picker, option), firstOption + i === picker.selected, theme, columns)
    ),
    ...(matches.length > maxOptions ? [theme.dim(`  ${matches.length} options`)] : matches.length === 0 ? [theme.dim("  No matches")] : [])
  ]
}

const filterLine = ({ query }: Picker.Picker, theme: Theme): ReadonlyArray<string> => [`${theme.accent("> ")}${text(query)}${invert(" ")}`]

const invert = (cell: string): string => `\u001b[7m${cell}\u001b[27m`

/** The files or commands to complete, each command with its description, scrolled so that the selected one is visible. */
const suggestionLines = ({ suggestions }: Screen, theme: Theme, { columns, rows }: Size): ReadonlyArray<string> => {
  if (suggestions === undefined) return []
  const { options, selected } = suggestions
  const maxOptions = Math.max(3, Math.min(10, rows - 12))
  const first = Math.max(0, Math.min(selected - (maxOptions >> 1), options.length - maxOptions))
  const nameWidth = Math.max(...options.map(({ text }) => text.length)) + 2
  return [
    ...options.slice(first, first + maxOptions).map(({ doc, text: option }, i) =>
      optionLine(text(doc === "" ? option : `${option.padEnd(nameWidth)}${doc}`), first + i === selected, theme, columns)
    ),
    ...(options.length > maxOptions ? [theme.dim(`  ${selected + 1} of ${options.length}`)] : [])
  ]
}

const optionLine = (option: SafeText, isSelected: boolean, theme: Theme, columns: number): string => {
  const line = BlockLines.cut(option, columns - 2)
  return isSelected ? `${theme.accent("›")} ${theme.bold(line)}` : `  ${line}`
}

/** The last call's output is elided and can be shown. */
const canOpen = ({ opened, view: { blocks } }: Screen): boolean => {
  const last = blocks.findLast(({ _tag }) => _tag === "Tool")
  return last !== undefined && !opened.has(last) && BlockLines.isElided(last)
}

/** The keys for what the agent does now: those for a command's output, and for its move to the background, where they fit in one line. */
const workingHint = (screen: Screen, columns: number): string => {
  const keys = screen.view.isWorking ? "Working: Enter to steer, Tab to queue, Esc to interrupt"
    : "Enter to send, Shift-Tab to change mode, ? for keys"
  const more = isRunningCommand(screen) && screen.runningCommands > 0 ? ["Ctrl-O for its output", "Ctrl-B for background"]
    : canOpen(screen) ? ["Ctrl-O for all output"]
    : []
  return fitted(keys, more, columns)
}

/** A hint, with those of the less important keys that fit in the same line. */
const fitted = (hint: string, more: ReadonlyArray<string>, columns: number): string =>
  more.reduce((hint, key) => hint.length + key.length + 2 <= columns ? `${hint}, ${key}` : hint, hint)

const hint = (screen: Screen, columns: number): string => {
  const {
    editor,
    hint,
    isEscaping,
    isInterrupting,
    isLeaving,
    now,
    userCommand,
    suggestions,
    picker,
    historySearch,
    isRefusing,
    view,
    pending
  } = screen
  if (screen.todoEditor !== undefined) return TodoEditor.hint(screen.todoEditor)
  return hint ??
    (screen.asksForInput !== undefined && pending === undefined
      ? `${BlockLines.cut(line(screen.asksForInput.command), 30)} asks for hidden input: Ctrl-O to type it`
      : !isReady(screen) ? "Accepts keys once you stop typing"
      : picker !== undefined ?
      fitted("Enter to select, Esc to cancel, type to filter", picker.marks === undefined ? [] : ["Ctrl-F for favourite"], columns)
      : historySearch !== undefined ?
      `Search history for "${text(historySearch.query)}"${
        HistorySearch.match(editor, historySearch) === undefined ? ": no matches" : ": Ctrl-R for older, Enter to accept, Esc to cancel"
      }`
      : suggestions !== undefined ?
      `${suggestions.options[suggestions.selected]!.runs ? "Enter to run, Tab to complete" : "Tab to accept"}, Esc to dismiss`
      : isInterrupting ? "Interrupting; press Ctrl-C again to exit now"
      : isLeaving ? "Press Ctrl-C again to exit"
      : isEscaping ? "Press Esc again to edit your last message"
      : isRefusing ? "Enter to say no, Esc to go back"
      : pending?._tag === "Question" ? `${pending.options.length === 0 ? "" : "Up and Down to select, "}Enter to answer`
      : pending !== undefined ? `Up and Down to select, Enter to answer, or press a key${editor.text === "" ? "" : "; your draft is saved"}`
      : view.pause !== undefined ? BlockLines.pause(view.pause, now)
      : editor.vi?.mode === "normal" ? "Normal mode: i to insert, Enter to send"
      : userCommand !== undefined ? `Running ${BlockLines.cut(text(userCommand.command), 40)}: Esc to stop`
      : workingHint(screen, columns))
}
