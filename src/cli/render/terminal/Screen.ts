/**
 * The interactive screen as pure state: messages (session events, keys, prompts) go in, and actions come out. `DrawLoop` draws it
 * and `Interactive` performs its actions.
 */
import * as DroppedImages from "../../../domain/message/DroppedImages.ts"
import * as Progress from "../../../domain/session/Progress.ts"
import * as TerminalKeys from "../../../domain/tool/TerminalKeys.ts"
import type { PendingPrompt } from "../../terminal/TerminalApprover.ts"
import * as Fuzzy from "../../../domain/workspace/Fuzzy.ts"
import * as ActivityLine from "./ActivityLine.ts"
import * as ApprovalChoices from "./ApprovalChoices.ts"
import * as ApprovalKeys from "./ApprovalKeys.ts"
import * as ApprovalPrompt from "./ApprovalPrompt.ts"
import * as CommandView from "./CommandView.ts"
import * as PromptCompletion from "./PromptCompletion.ts"
import * as LineEditor from "./LineEditor.ts"
import * as MessageQueue from "./MessageQueue.ts"
import * as Picker from "./Picker.ts"
import * as ModeCycle from "./ModeCycle.ts"
import * as ImageLabels from "./ImageLabels.ts"
import * as PastedText from "./PastedText.ts"
import * as EarlierMessages from "./EarlierMessages.ts"
import * as HistorySearch from "./HistorySearch.ts"
import * as SlashList from "./SlashList.ts"
import * as TodoEditor from "./TodoEditor.ts"
import * as BlockLines from "../text/BlockLines.ts"
import * as View from "../view/View.ts"
import * as ViKeys from "./ViKeys.ts"
import * as EnterLine from "./EnterLine.ts"
import type { ActivePrompt, Message, Question, Screen, Update } from "./ScreenState.ts"

export { initial, type Action, type ActivePrompt, type Message, type Screen } from "./ScreenState.ts"

export const update = (screen: Screen, message: Message): Update => {
  switch (message._tag) {
    case "Followed": {
      const { followed } = message
      const view = View.update(screen.view, followed)
      const now = followed._tag === "Settled" ? Math.max(screen.now, followed.at.time) : screen.now
      const progress = followed._tag === "Settled" ? Progress.update(screen.progress, "", "", followed.at) : screen.progress
      const next: Screen = {
        ...screen,
        view,
        progress,
        now,
        isSendingQueue: screen.isSendingQueue && !view.isWorking,
        isInterrupting: screen.isInterrupting && view.isWorking,
        allowedActions: view.isWorking ? screen.allowedActions : noActions,
        acceptsEdits: screen.acceptsEdits && view.isWorking && view.status.mode === "acceptEdits"
      }
      if (!screen.view.isWorking || view.isWorking) return [next]
      return MessageQueue.afterTask(next, followed._tag === "Settled" && followed.at.event._tag === "TaskFinished" ? "finished" : "stopped")
    }
    case "Subagent":
      return [{
        ...screen,
        progress: Progress.update(screen.progress, "", message.session, message.at),
        now: Math.max(screen.now, message.at.time)
      }]
    case "Tick":
      return [{ ...screen, now: message.now }]
    case "Resize":
      return [{ ...screen, columns: message.columns, rows: message.rows }]
    case "Focus":
      return [{ ...screen, isFocused: message.focused }]
    case "Images":
      return [message.images.reduce(attachImage, screen)]
    case "Insert":
      return [insertText(screen, message.text)]
    case "Pending":
      return setPending(screen, message.pending)
    case "Ready":
      return [{ ...screen, readyPrompt: message.prompt }]
    case "Typing":
      return [screen]
    case "Mode":
      return [ModeCycle.show(screen, message.mode)]
    case "Commands":
      return [{ ...screen, names: { ...screen.names, commands: merge(screen.names.commands, message.commands) } }]
    case "Files":
      return [withSuggestions({ ...screen, names: { ...screen.names, files: Fuzzy.index(message.names) } })]
    case "Messages":
      return [EarlierMessages.add(screen, message.messages)]
    case "Pick":
      return [{
        ...screen,
        picker: Picker.open({ ...message, title: View.text(message.title), options: message.options.map(View.text) })
      }]
    case "SessionChanged":
      return [{ ...screen, view: { ...message.view, blocks: screen.view.blocks }, progress: Progress.initial(), isInterrupting: false }]
    case "Draft":
      return [{ ...screen, editor: LineEditor.withText(screen.editor, message.text) }]
    case "Note":
      return [{ ...screen, view: View.addNote(screen.view, message.text, message.tone) }]
    case "UserCommand":
      return [{
        ...screen,
        userCommand: message.command === undefined ? undefined : { command: message.command, output: View.emptyStream }
      }]
    case "RunningCommands":
      return [{ ...screen, runningCommands: message.count, asksForInput: message.secretPrompt }]
    case "EditTodo":
      return [{ ...screen, todoEditor: TodoEditor.open(message.items) }]
    case "CommandOpened":
      return [{
        ...screen,
        commandView: CommandView.open(
          message.id,
          message.command,
          message.snapshot,
          message.snapshot.isSecret || message.snapshot.input.isReading
        )
      }]
    case "CommandOutput":
      return [
        screen.commandView?.id !== message.id ? screen
          : { ...screen, commandView: CommandView.withSnapshot(screen.commandView, message.snapshot) }
      ]
    case "UserOutput":
      return [{ ...screen, userCommand: screen.userCommand && withOutput(screen.userCommand, message.text) }]
    case "EditorMode":
      return [{ ...screen, editor: { ...screen.editor, vi: message.vi ? ViKeys.insertMode : undefined } }]
    case "Patch":
      return [{ ...screen, view: ApprovalPrompt.showDiff(screen.view, message.patch, true) }]
    case "Pasted": {
      const { commandView } = screen
      if (commandView !== undefined)
        return commandView.isTyping ? [screen, { _tag: "TypeInput", id: commandView.id, keys: TerminalKeys.typed(message.text) }] : [screen]
      if (screen.todoEditor !== undefined) {
        const { line } = screen.todoEditor
        return [
          line === undefined ? screen
            : { ...screen, todoEditor: { ...screen.todoEditor, line: { ...line, editor: LineEditor.paste(line.editor, message.text) } } }
        ]
      }
      const paths = screen.picker !== undefined || screen.pending?._tag === "Approval" ? [] : DroppedImages.imagePaths(message.text)
      return paths.length === 0 ? [pasteText(screen, message.text)] : [screen, { _tag: "Attach", paths, text: message.text }]
    }
    case "Key":
      if (isTypedAtOnce(screen, message.key)) return pressEach(screen, message.key)
      if (screen.commandView !== undefined) return pressInCommand(screen, screen.commandView, message.key)
      if (screen.todoEditor !== undefined) return pressInTodo(screen, screen.todoEditor, message.key)
      return asksForKeys(screen, message.key) ? [{ ...screen, hint: undefined, showsKeys: true }]
        : EarlierMessages.afterKey(screen, message.key, pressKey({ ...screen, hint: undefined, showsKeys: false }, message.key))
  }
}

/** More at once is no typing. */
const maxAtOnce = 64

/** Characters that are typed quickly arrive as one text, also where each is a key of its own. */
const isTypedAtOnce = ({ commandView, todoEditor }: Screen, { alt, ctrl, name, text }: LineEditor.Key): boolean =>
  name === "text" && !ctrl && !alt && text.length <= maxAtOnce && [...text].length > 1 &&
  (commandView?.isTyping === false || (commandView === undefined && todoEditor !== undefined && todoEditor.line === undefined))

const pressEach = (screen: Screen, key: LineEditor.Key): Update => {
  const [first = "", ...rest] = key.text
  const pressed = update(screen, { _tag: "Key", key: { ...key, text: first } })
  return pressed[1] === undefined ? update(pressed[0], { _tag: "Key", key: { ...key, text: rest.join("") } }) : pressed
}

/** The end of the output is shown. */
const withOutput = ({ command, output }: NonNullable<Screen["userCommand"]>, text: string): Screen["userCommand"] => ({
  command,
  output: View.tail(View.pushText(output, text), 4_000)
})

const noActions: ReadonlySet<string> = new Set()

/** Of two commands with the same name the newer wins. */
const merge = (old: ReadonlyArray<SlashList.Entry>, added: ReadonlyArray<SlashList.Entry>): ReadonlyArray<SlashList.Entry> => [
  ...old.filter(({ name }) => !added.some((entry) => entry.name === name)),
  ...added
]

const insertText = (screen: Screen, text: string): Screen => ({
  ...screen,
  editor: LineEditor.paste(screen.editor, text),
  suggestions: undefined,
  historySearch: undefined,
  hint: undefined
})

/** Inserts a pasted text, or a label in its place. */
const pasteText = (screen: Screen, pasted: string): Screen => {
  const [pastes, text] = PastedText.add(screen.pastes, pasted)
  return insertText({ ...screen, pastes }, text)
}

const attachImage = (screen: Screen, image: ImageLabels.Image): Screen => {
  const [images, label] = ImageLabels.add(screen.images, image)
  return insertText({ ...screen, images }, `${label} `)
}

/** Shows the next prompt. One that was allowed together with another is answered at once. */
const setPending = (screen: Screen, pending: PendingPrompt | undefined): Update => {
  const base: Screen = {
    ...EnterLine.stopRefusing(screen),
    pending,
    suggestions: undefined,
    unread: [],
    hiddenDiff: undefined,
    similarActions: [],
    selectedChoice: undefined
  }
  if (pending === undefined) return [base]
  const pageRows = ApprovalPrompt.pageRows(screen.rows)
  if (pending._tag === "Question") return [{ ...base, view: ApprovalPrompt.addPrompt(screen.view, pending, pageRows) }]
  const { question } = pending
  // The user has accepted all edits since the call was judged.
  const isAccepted = question.editScope?.canAcceptEdits === true && screen.acceptsEdits
  if (isAccepted || screen.allowedActions.has(question.action))
    return [base, { _tag: "Answer", to: pending, answer: { decision: "allow", scope: "once", by: "user" } }]
  const similar = ApprovalPrompt.similarCalls(screen.view, question)
  return [{
    ...base,
    unread: ApprovalPrompt.unreadLines(question, pageRows),
    selectedChoice: ApprovalChoices.initialSelection(base),
    hiddenDiff: ApprovalPrompt.hiddenDiff(question, pageRows),
    similarActions: similar.flatMap(({ approval }) => approval === undefined ? [] : [approval.action]),
    view: ApprovalPrompt.addPrompt(screen.view, pending, pageRows, similar)
  }]
}

/** Whether the screen shows a time that is due to change: of a pause, of running subagents, or of the session's work. */
export const needsTick = (screen: Screen, now: number): boolean =>
  screen.view.pause !== undefined || [...screen.progress.running.values()].some(({ kind }) => kind === "child") ||
  // Sleep is not exact.
  (ActivityLine.isActive(screen) && now - screen.now >= ActivityLine.frameMs(screen) - ActivityLine.tickMs / 2)

/** The active prompt: a list takes precedence over an approval or question. The view of a command and the to-do list hide them. */
export const activePrompt = ({ commandView, picker, pending, todoEditor }: Screen): ActivePrompt | undefined =>
  commandView !== undefined || todoEditor !== undefined ? undefined : picker ?? pending

/** Whether there is no prompt, or the prompt was seen. */
export const isReady = (screen: Screen): boolean => activePrompt(screen) === undefined || activePrompt(screen) === screen.readyPrompt

/** Whether single keys answer an approval. */
export const isChoosing = (screen: Screen): boolean => screen.pending?._tag === "Approval" && !screen.isRefusing && isReady(screen)

/** Whether the arrows select an answer to a question of the model: until an answer is typed. */
const isSelectingAnswer = (screen: Screen): screen is Screen & { readonly pending: Question } =>
  screen.pending?._tag === "Question" && screen.pending.options.length > 0 && screen.editor.text === ""

/** Whether a key cancels: it works at any time. */
const isCancel = (key: LineEditor.Key): boolean => key.name === "escape" || (key.ctrl && key.text === "c")

/** Keys typed before a prompt was seen go into the input line; Enter sends nothing. */
const typeAhead = (screen: Screen, key: LineEditor.Key): Screen => ({
  ...screen,
  editor: key.name === "enter" ? LineEditor.insert(screen.editor, "\n") : ViKeys.press(screen.editor, key) ?? screen.editor
})

/** `?` in an empty input line lists the keys. */
const asksForKeys = (screen: Screen, key: LineEditor.Key): boolean =>
  key.text === "?" && !key.ctrl && !key.alt && screen.editor.text === "" && !screen.showsKeys && screen.pending === undefined &&
  screen.picker === undefined && screen.historySearch === undefined

const pressKey = (screen: Screen, key: LineEditor.Key): Update => {
  if (screen.historySearch !== undefined) return [pressInHistorySearch(screen, screen.historySearch, key)]
  if (!isReady(screen) && !isCancel(key)) return [typeAhead(screen, key)]
  if (key.ctrl && key.text === "o")
    return screen.asksForInput !== undefined || isRunningCommand(screen) ? [screen, { _tag: "OpenCommand" }] : [openOutput(screen)]
  if (screen.picker !== undefined) return pressInPicker(screen, screen.picker, key)
  if (screen.suggestions !== undefined) {
    const next = pressInSuggestions(screen, screen.suggestions, key)
    if (next !== undefined) return next
  }
  if (key.name === "escape" && ViKeys.takesEscape(screen.editor)) return [typeAhead(screen, key)]
  if (isCancel(key)) return cancel(screen, key)
  const current = screen.isLeaving || screen.isEscaping ? { ...screen, isLeaving: false, isEscaping: false } : screen
  if (key.ctrl && key.text === "d" && current.editor.text === "") return [current, { _tag: "Leave", by: "command" }]
  if (key.name === "tab" && key.shift) return ModeCycle.next(current)
  if (isChoosing(current)) return ApprovalKeys.press(current, key)
  const step = ApprovalKeys.arrowStep(key)
  if (step !== undefined && isSelectingAnswer(current)) {
    return [{ ...current, selectedChoice: ApprovalKeys.moveSelection(current.selectedChoice, step, current.pending.options.length) }]
  }
  if (key.name === "enter" && (key.shift || (key.alt && !current.view.isWorking)))
    return [{ ...current, editor: LineEditor.paste(current.editor, "\n") }]
  if (key.name === "enter" && !key.alt) return EnterLine.enter(current)
  if (key.name === "tab" || (key.name === "enter" && key.alt)) {
    return !current.view.isWorking ? [current] : EnterLine.startsCommand(current) ? EnterLine.enter(current) : [MessageQueue.add(current)]
  }
  if (MessageQueue.takesBack(current, key)) return [MessageQueue.takeBack(current)]
  if (key.ctrl && key.text === "v") return [current, { _tag: "Attach", paths: [], text: "" }]
  if (key.ctrl && key.text === "g") return [current, { _tag: "EditDraft", text: PastedText.expand(current.editor.text, current.pastes) }]
  if (key.ctrl && key.text === "b" && isRunningCommand(current)) return [current, { _tag: "Background" }]
  if (key.ctrl && key.text === "r") return [{ ...current, historySearch: HistorySearch.initial }]
  const withoutLabel = PastedText.deleteLabel(current.editor, key, [...current.pastes.keys(), ...current.images.keys()])
  return afterTyping({ ...current, editor: withoutLabel ?? ViKeys.press(current.editor, key) ?? current.editor })
}

/** Shows all output of the last call whose output is elided, then of the one before it. */
const openOutput = (screen: Screen): Screen => {
  const block = screen.view.blocks.filter(BlockLines.isElided).findLast((block) => !screen.opened.has(block))
  return block === undefined ? { ...screen, hint: View.text("No more output to show.") } : {
    ...screen,
    opened: new Set([...screen.opened, block]),
    view: { ...screen.view, ...View.add(screen.view, { ...block, isOpen: true }) }
  }
}

/** Whether the agent waits for a command. */
export const isRunningCommand = ({ view }: Screen): boolean =>
  view.calls.some(({ kind, state }) => kind === "command" && state === "running")

/** Updates the suggestions; the first `@` lists the files. */
const afterTyping = (screen: Screen): Update =>
  PromptCompletion.isMention(screen.editor) && screen.names.files === undefined
    ? [{ ...screen, suggestions: undefined }, { _tag: "ListFiles" }] : [withSuggestions(screen)]

const withSuggestions = (screen: Screen): Screen => ({
  ...screen,
  suggestions: isChoosing(screen) ? undefined : PromptCompletion.of(screen.editor, screen.names)
})

/** The keys of the suggestions; undefined for keys that continue typing. Tab accepts; Enter also runs a built-in command. */
const pressInSuggestions = (screen: Screen, suggestions: PromptCompletion.Suggestions, key: LineEditor.Key): Update | undefined => {
  if (key.name === "escape") return [{ ...screen, suggestions: undefined }]
  const isUp = key.name === "up" || (key.ctrl && key.text === "p")
  if (isUp || key.name === "down" || (key.ctrl && key.text === "n"))
    return [{ ...screen, suggestions: PromptCompletion.moveSelection(suggestions, isUp ? -1 : 1) }]
  const option = suggestions.options[suggestions.selected]!
  const isComplete = screen.editor.text.slice(suggestions.from, screen.editor.cursor) === option.text
  const accepted = { ...screen, editor: PromptCompletion.accept(screen.editor, suggestions) }
  if (key.name === "tab" && !key.shift) return [withSuggestions(accepted)]
  if (key.name !== "enter" || key.alt || isComplete) return undefined
  return option.runs ? EnterLine.enter({ ...accepted, suggestions: undefined }) : [withSuggestions(accepted)]
}

const pressInPicker = (screen: Screen, picker: Picker.Picker, key: LineEditor.Key): Update => {
  const next = Picker.press(picker, key)
  return "picker" in next ? [{ ...screen, picker: next.picker, readyPrompt: next.picker }]
    : [{ ...screen, picker: undefined }, { _tag: "Choose", from: picker, choice: next.choice }]
}

const pressInCommand = (screen: Screen, view: CommandView.CommandView, key: LineEditor.Key): Update => {
  const pressed = CommandView.press(view, key, screen)
  if ("typed" in pressed) return pressed.typed === "" ? [screen] : [screen, { _tag: "TypeInput", id: view.id, keys: pressed.typed }]
  if ("view" in pressed) return [{ ...screen, commandView: pressed.view }]
  const closed = { ...screen, commandView: undefined, readyPrompt: undefined }
  return pressed.action === "background" ? [closed, { _tag: "Background" }] : [closed]
}

const pressInTodo = (screen: Screen, editor: TodoEditor.TodoEditor, key: LineEditor.Key): Update => {
  const pressed = TodoEditor.press(editor, key)
  if ("editor" in pressed) return [{ ...screen, todoEditor: pressed.editor }]
  const closed = { ...screen, todoEditor: undefined, readyPrompt: undefined }
  return pressed.save === undefined ? [closed] : [closed, { _tag: "SaveTodo", items: pressed.save, stored: editor.stored }]
}

const pressInHistorySearch = (screen: Screen, search: HistorySearch.HistorySearch, key: LineEditor.Key): Screen => {
  const next = HistorySearch.press(screen.editor, search, key)
  return "recall" in next ? { ...screen, historySearch: next.recall } : { ...screen, historySearch: undefined, editor: next.editor }
}

/**
 * Escape and Ctrl-C: cancel the refusal, interrupt, clear the input, in this order; then Ctrl-C twice exits, and Escape twice edits
 * the last message. Two quick presses of Escape arrive as one key with Alt.
 */
const cancel = (screen: Screen, key: LineEditor.Key): Update => {
  if (screen.isRefusing) return [{ ...screen, isRefusing: false, draft: "", editor: LineEditor.withText(screen.editor, screen.draft) }]
  if (screen.isInterrupting && key.ctrl) return [screen, { _tag: "Leave", by: "interrupt" }]
  if (screen.view.isWorking) return screen.isInterrupting ? [screen] : [{ ...screen, isInterrupting: true }, { _tag: "Interrupt" }]
  if (screen.userCommand !== undefined) return [screen, { _tag: "StopUserCommand" }]
  if (screen.editor.text !== "") {
    const cleared = { ...screen, editor: LineEditor.withText(screen.editor, ""), isLeaving: false, isEscaping: false }
    return [key.ctrl ? cleared : { ...cleared, hint: View.text("Cleared. Ctrl-_ to bring the text back") }]
  }
  if (!key.ctrl) {
    return screen.isEscaping || key.alt
      ? [{ ...screen, isEscaping: false }, { _tag: "Command", name: "rewind", args: "last" }]
      : [{ ...screen, isEscaping: screen.view.blocks.some(({ _tag }) => _tag === "User"), isLeaving: false }]
  }
  return screen.isLeaving ? [screen, { _tag: "Leave", by: "interrupt" }] : [{ ...screen, isLeaving: true }]
}
