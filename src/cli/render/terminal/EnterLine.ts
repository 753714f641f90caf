/** What Enter does with the input line: an answer, a command of the terminal or the shell, or a message. */
import type { Delivery } from "../../../domain/session/SessionEvent.ts"
import type { Answer } from "../../../services/Approver.ts"
import * as View from "../view/View.ts"
import * as ImageLabels from "./ImageLabels.ts"
import * as LineEditor from "./LineEditor.ts"
import * as ModeCycle from "./ModeCycle.ts"
import * as PastedText from "./PastedText.ts"
import type { Screen, Update } from "./ScreenState.ts"
import * as SlashList from "./SlashList.ts"

/** Sends the input line, or does what it says. A backslash at its end breaks the line. */
export const enter = (screen: Screen): Update => {
  if (LineEditor.endsWithBackslash(screen.editor)) return [{ ...screen, editor: LineEditor.breakLine(screen.editor) }]
  return expandingPastes(screen, enterText)
}

/** An update with the labels of pasted texts replaced by the texts; what it leaves in the input line keeps its labels. */
const expandingPastes = (screen: Screen, update: (screen: Screen) => Update): Update => {
  const text = PastedText.expand(screen.editor.text, screen.pastes)
  if (text === screen.editor.text) return update(screen)
  const expanded = { ...screen, editor: { ...screen.editor, text, cursor: text.length } }
  const [next, action] = update(expanded)
  const result = next.editor === expanded.editor ? { ...next, editor: screen.editor } : next
  return action === undefined ? [result] : [result, action]
}

/** Ends the refusal and restores the draft. */
export const stopRefusing = (screen: Screen): Screen =>
  !screen.isRefusing ? screen
    : {
      ...screen,
      isRefusing: false,
      draft: "",
      editor: LineEditor.withText(screen.editor, [screen.draft, screen.editor.text].filter((text) => text !== "").join("\n"))
    }

const enterText = (screen: Screen): Update => {
  const { editor, pending } = screen
  const input = editor.text.trim()
  if (pending?._tag === "Approval") {
    const answer: Answer = { decision: "deny", scope: "once", by: "user", ...(input === "" ? {} : { words: input }) }
    return [stopRefusing({ ...screen, editor: LineEditor.submit(editor) }), { _tag: "Answer", to: pending, answer }]
  }
  if (pending?._tag === "Question") {
    const index = input === "" ? screen.selectedChoice : /^\d+$/.test(input) ? Number(input) - 1 : undefined
    const answer = pending.options[index ?? -1] ?? input
    return answer === "" ? [screen]
      : [{ ...screen, editor: LineEditor.submit(editor) }, { _tag: "Reply", to: pending, reply: { by: "user", text: answer } }]
  }
  if (input === "") return [screen]
  if (input.startsWith("!") && input.length > 1) return runUserCommand(screen, input.slice(1).trim())
  const command = SlashList.parse(!screen.view.isWorking && leavingWords.has(input) ? "/quit" : input)
  if (command !== undefined) return runSlash(screen, command)
  const name = SlashList.isCommandLike(input) ? input.slice(1).split(/\s/, 1)[0]! : undefined
  if (name !== undefined && !screen.names.commands.some((entry) => entry.name === name))
    return [{ ...screen, hint: View.text(SlashList.problem(name, screen.names.commands)) }]
  return submit(screen, screen.view.isWorking ? "steer" : "task")
}

/** What leaves other programs leaves this one too, where it is no message to a running task. */
const leavingWords: ReadonlySet<string> = new Set(["exit", "quit", ":q"])

/** Whether the input line has a command of the terminal or the shell, which runs at once. */
export const startsCommand = ({ editor }: Screen): boolean => {
  const input = editor.text.trim()
  return (input.startsWith("!") && input.length > 1) || SlashList.parse(input) !== undefined
}

/** `!command`, one at a time. */
const runUserCommand = (screen: Screen, command: string): Update =>
  screen.userCommand === undefined
    ? [echo({ ...screen, editor: LineEditor.submit(screen.editor), suggestions: undefined }, `!${command}`), {
      _tag: "RunUserCommand",
      command
    }]
    : [{ ...screen, hint: View.text(`${screen.userCommand.command} is still running. Press Esc to stop it.`) }]

const submit = (screen: Screen, delivery: Delivery): Update => {
  const text = screen.editor.text.trim()
  return text === "" ? [screen]
    : [{ ...screen, editor: LineEditor.submit(screen.editor), suggestions: undefined }, {
      _tag: "Say",
      text: ImageLabels.expandLabels(text, screen.images),
      delivery
    }]
}

/** Runs a slash command, or returns the action that runs it. */
const runSlash = (screen: Screen, { slash: { requiresIdle, name }, args }: NonNullable<ReturnType<typeof SlashList.parse>>): Update => {
  if (requiresIdle === true && screen.view.isWorking)
    return [{ ...screen, hint: View.text(`/${name} is not available while a task runs. Press Esc to interrupt.`) }]
  const cleared: Screen = { ...screen, editor: LineEditor.submit(screen.editor), suggestions: undefined }
  const handler = (localCommands as Readonly<Record<string, (screen: Screen) => Update>>)[name]
  return handler?.(cleared) ?? [echo(cleared, `/${name} ${args}`.trimEnd()), { _tag: "Command", name: name as SlashList.Remote, args }]
}

/** Shows a command as it was typed, above what it prints. */
const echo = (screen: Screen, command: string): Screen => ({
  ...screen,
  view: { ...screen.view, ...View.add(screen.view, { _tag: "Command", text: View.text(command) }) }
})

const localCommands: Readonly<Record<SlashList.Local, (screen: Screen) => Update>> = {
  act: (screen) => ModeCycle.switchTo(screen, screen.workMode),
  help: (screen) => [{ ...screen, view: View.addNote(echo(screen, "/help").view, SlashList.help, "info") }],
  plan: (screen) => ModeCycle.switchTo(screen, "plan"),
  quit: (screen) => [screen, { _tag: "Leave", by: "command" }]
}
