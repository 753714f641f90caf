/**
 * The view for screen readers and dumb terminals: settled blocks are printed as lines that never change, and input is read as
 * whole lines. It shows the same screen state as the drawn view.
 */
import { createInterface } from "node:readline"
import type { Key } from "./LineEditor.ts"
import type { TerminalView, Options } from "./InkTerminal.ts"
import * as BlockLines from "../text/BlockLines.ts"
import * as SlashAdvice from "./SlashAdvice.ts"
import * as Picker from "./Picker.ts"
import * as ApprovalChoices from "./ApprovalChoices.ts"
import { isChoosing, isReady, type Message, type Screen } from "./Screen.ts"
import { text } from "../view/DisplayText.ts"
import { plain } from "../text/Theme.ts"

const key = (name: Key["name"], text = "", ctrl = false): Key => ({ name, text, ctrl, alt: false, shift: false })

export const open = (screen: Screen, { printedBlocks = 0, stdin, stdout, dispatch, markdown }: Options): TerminalView => {
  let current = screen
  let printed = printedBlocks
  let lastPrompt = ""
  /** The line was started before the prompt was ready: it goes into the input line and answers nothing. */
  let hasTypedAhead = false
  const input = createInterface({ input: stdin, output: stdout, terminal: true, prompt: "" })
  const onKey = () => {
    hasTypedAhead ||= !isReady(current) && input.line !== ""
    dispatch({ _tag: "Typing" })
  }
  stdin.on("keypress", onKey)
  input.on("line", (line) => {
    const isEarly = hasTypedAhead || !isReady(current)
    hasTypedAhead = false
    if (isEarly) dispatch({ _tag: "Pasted", text: `${line}\n` })
    else messages(current, line).forEach(dispatch)
  })
  const onInterrupt = () => dispatch({ _tag: "Key", key: key("text", "c", true) })
  const onEnd = () => dispatch({ _tag: "Key", key: key("text", "d", true) })
  input.on("SIGINT", onInterrupt)
  input.on("close", onEnd)
  const show = (next: Screen) => {
    current = next
    const blocks = next.view.blocks.slice(printed)
    const lines = blocks.map((block) => BlockLines.blockLines(block, { theme: plain, markdown: markdown(), advice: SlashAdvice.translate }))
    printed = next.view.blocks.length
    const promptText = promptFor(next)
    if (promptText !== lastPrompt && promptText !== "") {
      // Work begins with the message, before what it has done since the last frame.
      const place = promptText === working ? blocks.findLastIndex(({ _tag }) => _tag === "User") + 1 : blocks.length
      lines.splice(place, 0, [promptText])
    }
    lastPrompt = promptText
    const all = lines.flat()
    if (all.length > 0) stdout.write(`${all.join("\n")}\n`)
  }
  show(screen)
  return {
    printedBlocks: () => printed,
    show,
    close: async () => {
      stdin.off("keypress", onKey)
      input.off("close", onEnd).close()
    }
  }
}

const working = "Working. Type a line to steer, or press Control C to interrupt."

/** What the user can do now. */
const promptFor = (screen: Screen): string => {
  const { editor, hint, picker, isRefusing, view, pending } = screen
  if (picker !== undefined) {
    return isReady(screen) ? "Type a number and press Enter, or press Enter alone to cancel."
      : [picker.title, ...numbered(picker.options.map((_, i) => Picker.label(picker, i).trim()))].join("\n")
  }
  if (!isReady(screen)) return ""
  if (isRefusing) return "Type what the agent should do instead, then press Enter."
  if (pending?._tag === "Question") {
    return pending.options.length === 0 ? "Type your answer, then press Enter."
      : [...numbered(pending.options.map(text)), "Type a number or your answer, then press Enter."].join("\n")
  }
  if (isChoosing(screen)) {
    const choices = ApprovalChoices.of(screen).map(({ key, label }) => `${key === " " ? "Space" : key}: ${label}`)
    return [...choices, "Type a letter, then press Enter."].join("\n")
  }
  if (hint !== undefined) return `${hint} Press Control C to clear the line.`
  if (editor.text !== "") return `Your draft: ${text(editor.text.trim())}. Press Enter to send it, or type more first.`
  return view.isWorking ? working : "Ready. Type a message and press Enter, or /help for commands."
}

const numbered = (options: ReadonlyArray<string>): ReadonlyArray<string> => options.map((option, i) => `${i + 1}: ${option}`)

/** The screen messages for a line. The answer to a question is the line alone: an earlier draft is kept for later. */
const messages = (screen: Screen, line: string): ReadonlyArray<Message> => {
  if (screen.pending?._tag === "Question" && screen.picker === undefined) {
    return [{ _tag: "Draft", text: line }, { _tag: "Key", key: key("enter") }, { _tag: "Pasted", text: screen.editor.text }]
  }
  if (screen.picker === undefined && !isChoosing(screen)) {
    // Inserted whole: the menu of completions, which is not read out, must not take the Enter.
    return [{ _tag: "Insert", text: line }, { _tag: "Key", key: key("enter") }]
  }
  return keys(screen, line).map((key) => ({ _tag: "Key", key }))
}

const keys = (screen: Screen, line: string): ReadonlyArray<Key> => {
  if (screen.picker !== undefined) {
    const options = Picker.matches(screen.picker)
    const index = options.indexOf(Number(line) - 1)
    const steps = (index - screen.picker.selected + options.length) % options.length
    return line.trim() === "" || index === -1 ? [key("escape")] : [...Array.from({ length: steps }, () => key("down")), key("enter")]
  }
  return line === "" ? [] : [key("text", line[0]!)]
}
