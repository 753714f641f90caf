/**
 * The terminal as a pure state: what happens to it (events of the session, keys, questions) and what follows from
 * that. Live draws it and Interactive does what it asks for.
 */
import type { Mode } from "../../../domain/approval/Mode.ts"
import * as Dropped from "../../../domain/message/DroppedImages.ts"
import * as Progress from "../../../domain/session/Progress.ts"
import type { Delivery, Followed, SessionEvent } from "../../../domain/session/SessionEvent.ts"
import type { Answer, Reply } from "../../../services/Approver.ts"
import type { Waiting } from "../../terminal/TerminalApprover.ts"
import * as Fuzzy from "../../../domain/workspace/Fuzzy.ts"
import * as Asking from "./ApprovalPrompt.ts"
import * as Completion from "./PromptCompletion.ts"
import * as Editor from "./LineEditor.ts"
import * as Picker from "./Picker.ts"
import * as Pictures from "./ImageLabels.ts"
import * as Recall from "./HistorySearch.ts"
import * as Slash from "./SlashList.ts"
import * as View from "../view/View.ts"

/**
 * - `armed`: an approval has been on the screen for a moment, so that a key meant for the line above does not answer it.
 * - `refusing`: the person says no and is asked for words.
 * - `unread`: lines of a long approval that were not on the screen yet; `folded`: its diff, while that is not shown.
 * - `leaving`: Ctrl-C was pressed while nothing ran; another one leaves.
 * - `act`: the mode to go back to from plan.
 */
export interface Screen {
  readonly view: View.View
  readonly editor: Editor.Editor
  readonly waiting: Waiting | undefined
  readonly armed: boolean
  readonly refusing: boolean
  readonly unread: ReadonlyArray<View.Shown>
  readonly folded: string | undefined
  /** Actions of the waiting question's kind that wait behind it, by their hashes; and those that were allowed with it. */
  readonly alike: ReadonlyArray<string>
  readonly granted: ReadonlySet<string>
  readonly interrupting: boolean
  readonly leaving: boolean
  readonly act: Mode
  /** What can be completed: commands that the user wrote down, and files once one was asked for. */
  readonly names: Completion.Names
  /** What the word at the cursor may become. */
  readonly offer: Completion.Offer | undefined
  /** A list to choose from; it takes all keys. */
  readonly picker: Picker.Picker | undefined
  /** What was said before is being looked for. */
  readonly recall: Recall.Recall | undefined
  /** One line of ours, until the next key. */
  readonly hint: View.Shown | undefined
  /** What runs, in the sessions that this one started too; its own events stand under "". */
  readonly progress: Progress.Progress
  /** ms since the epoch, as of the last tick; ticks come while something is counted down. */
  readonly now: number
  /** Lines that the terminal has. */
  readonly rows: number
  /** Whether the person looks at this terminal, where it says so. */
  readonly focused: boolean | undefined
  readonly pictures: Pictures.Pictures
}

export type Message =
  | { readonly _tag: "Followed"; readonly followed: Followed }
  | { readonly _tag: "Child"; readonly session: string; readonly at: SessionEvent }
  | { readonly _tag: "Waits"; readonly waiting: Waiting | undefined }
  | { readonly _tag: "Armed"; readonly waiting: Waiting }
  | { readonly _tag: "Key"; readonly key: Editor.Key }
  | { readonly _tag: "Pasted"; readonly text: string }
  | { readonly _tag: "Mode"; readonly mode: Mode }
  | { readonly _tag: "Commands"; readonly names: ReadonlyArray<string> }
  | { readonly _tag: "Files"; readonly names: ReadonlyArray<string> }
  | { readonly _tag: "Pick"; readonly title: string; readonly options: ReadonlyArray<string>; readonly answer: Picker.Picker["answer"] }
  /** Another session is talked to from now on. */
  | { readonly _tag: "Renewed"; readonly view: View.View }
  /** A text to be gone on with in the input line. */
  | { readonly _tag: "Filled"; readonly text: string }
  | { readonly _tag: "Noted"; readonly text: string; readonly tone: View.Tone }
  | { readonly _tag: "Tick"; readonly now: number }
  | { readonly _tag: "Sized"; readonly rows: number }
  | { readonly _tag: "Focus"; readonly focused: boolean }
  /** Pictures that go with what is typed. */
  | { readonly _tag: "Attached"; readonly pictures: ReadonlyArray<Pictures.Picture> }
  /** What was pasted is no picture after all. */
  | { readonly _tag: "Typed"; readonly text: string }

/** What the outside is to do. */
export type Wish =
  | { readonly _tag: "Say"; readonly text: string; readonly delivery: Delivery }
  | { readonly _tag: "Answer"; readonly to: Approval; readonly answer: Answer }
  /** Open what would be done in an editor, and answer with what comes back. */
  | { readonly _tag: "Edit"; readonly to: Approval }
  | { readonly _tag: "Reply"; readonly to: Question; readonly reply: Reply }
  /** A command of the input line. */
  | { readonly _tag: "Command"; readonly name: Slash.Wished; readonly words: string }
  | { readonly _tag: "Chosen"; readonly from: Picker.Picker; readonly choice: number | undefined }
  /** Which files there are, to complete their names. */
  | { readonly _tag: "ListFiles" }
  /** Keep the pictures that these paths name, which came as this text; without paths the clipboard's. */
  | { readonly _tag: "Attach"; readonly paths: ReadonlyArray<string>; readonly text: string }
  | { readonly _tag: "Interrupt" }
  | { readonly _tag: "Switch"; readonly mode: Mode }
  /** `by`: a signal of the keyboard, or a wish in words. */
  | { readonly _tag: "Leave"; readonly by: "interrupt" | "word" }

export const initial = (view: View.View): Screen => ({
  view,
  editor: Editor.empty,
  waiting: undefined,
  armed: false,
  refusing: false,
  unread: [],
  folded: undefined,
  alike: [],
  granted: new Set(),
  interrupting: false,
  leaving: false,
  act: view.status.mode === "plan" ? "default" : view.status.mode as Mode,
  names: { commands: new Set(), files: undefined },
  offer: undefined,
  picker: undefined,
  recall: undefined,
  hint: undefined,
  progress: Progress.initial(),
  now: 0,
  rows: 40,
  focused: undefined,
  pictures: new Map()
})

type Approval = Extract<Waiting, { readonly _tag: "Approval" }>
type Question = Extract<Waiting, { readonly _tag: "Question" }>

type Next = readonly [Screen, Wish?]

export const update = (screen: Screen, message: Message): Next => {
  switch (message._tag) {
    case "Followed": {
      const { followed } = message
      const view = View.update(screen.view, followed)
      const now = followed._tag === "Settled" ? Math.max(screen.now, followed.at.time) : screen.now
      const progress = followed._tag === "Settled" ? Progress.update(screen.progress, "", "", followed.at) : screen.progress
      return [{ ...screen, view, progress, now, interrupting: screen.interrupting && view.working, granted: view.working ? screen.granted : none }]
    }
    case "Child":
      return [{ ...screen, progress: Progress.update(screen.progress, "", message.session, message.at), now: Math.max(screen.now, message.at.time) }]
    case "Tick":
      return [{ ...screen, now: message.now }]
    case "Sized":
      return [{ ...screen, rows: message.rows }]
    case "Focus":
      return [{ ...screen, focused: message.focused }]
    case "Attached":
      return [message.pictures.reduce(attached, screen)]
    case "Typed":
      return [pasted(screen, message.text)]
    case "Waits":
      return waits(screen, message.waiting)
    case "Armed":
      return [{ ...screen, armed: screen.armed || screen.waiting === message.waiting }]
    case "Mode":
      return [{ ...screen, view: { ...screen.view, status: { ...screen.view.status, mode: message.mode } } }]
    case "Commands":
      return [{ ...screen, names: { ...screen.names, commands: new Set([...screen.names.commands, ...message.names]) } }]
    case "Files":
      return [offering({ ...screen, names: { ...screen.names, files: Fuzzy.index(message.names) } })]
    case "Pick":
      return [{ ...screen, picker: Picker.open(View.text(message.title), message.options.map(View.text), message.answer) }]
    case "Renewed":
      return [{ ...screen, view: { ...message.view, blocks: screen.view.blocks }, progress: Progress.initial(), interrupting: false }]
    case "Filled":
      return [{ ...screen, editor: Editor.filled(screen.editor, message.text) }]
    case "Noted":
      return [{ ...screen, view: View.noted(screen.view, message.text, message.tone) }]
    case "Pasted": {
      if (choosing(screen) || screen.picker !== undefined) return [screen]
      const paths = Dropped.pictures(message.text)
      return paths.length === 0 ? [pasted(screen, message.text)] : [screen, { _tag: "Attach", paths, text: message.text }]
    }
    case "Key":
      return pressed({ ...screen, hint: undefined }, message.key)
  }
}

const none: ReadonlySet<string> = new Set()

const pasted = (screen: Screen, text: string): Screen =>
  ({ ...screen, editor: Editor.insert(screen.editor, text), offer: undefined, recall: undefined, hint: undefined })

const attached = (screen: Screen, picture: Pictures.Picture): Screen => {
  const [pictures, label] = Pictures.added(screen.pictures, picture)
  return pasted({ ...screen, pictures }, `${label} `)
}

/** A question comes up, or none is left. What was allowed with another of its kind is answered at once. */
const waits = (screen: Screen, waiting: Waiting | undefined): Next => {
  const quiet: Screen = { ...screen, waiting, offer: undefined, armed: false, refusing: false, unread: [], folded: undefined, alike: [] }
  if (waiting === undefined) return [quiet]
  const page = Asking.page(screen.rows)
  if (waiting._tag === "Question") return [{ ...quiet, view: Asking.asked(screen.view, waiting, page) }]
  const { question } = waiting
  if (screen.granted.has(question.action)) return [quiet, { _tag: "Answer", to: waiting, answer: { decision: "allow", scope: "once", by: "user" } }]
  const alike = Asking.alike(screen.view, question)
  return [{
    ...quiet,
    unread: Asking.unread(question, page),
    folded: question.risk === "high" ? undefined : question.diff,
    alike: alike.flatMap(({ asks }) => asks === undefined ? [] : [asks.action]),
    view: Asking.asked(screen.view, waiting, page, alike)
  }]
}

/** Whether something is shown that goes on with the clock: a pause, children at work. */
export const ticks = ({ progress, view }: Screen): boolean => view.pause !== undefined || [...progress.running.values()].some(({ kind }) => kind === "child")

/** Whether single keys answer instead of typing. */
export const choosing = ({ refusing, waiting }: Screen): boolean => waiting?._tag === "Approval" && !refusing

const pressed = (screen: Screen, key: Editor.Key): Next => {
  if (screen.picker !== undefined) return picked(screen, screen.picker, key)
  if (screen.recall !== undefined) return [recalled(screen, screen.recall, key)]
  if (screen.offer !== undefined) {
    const next = completed(screen, screen.offer, key)
    if (next !== undefined) return [next]
  }
  if (key.name === "escape" || (key.ctrl && key.text === "c")) return stop(screen, key)
  const ready = screen.leaving ? { ...screen, leaving: false } : screen
  if (key.ctrl && key.text === "d" && ready.editor.text === "") return [ready, { _tag: "Leave", by: "word" }]
  if (key.name === "tab" && key.shift) return toggle(ready)
  if (choosing(ready)) return choose(ready, key)
  if (key.name === "enter" && !key.alt) return enter(ready)
  if (key.name === "tab" || (key.name === "enter" && key.alt)) return ready.view.working ? say(ready, "queue") : [ready]
  if (key.ctrl && key.text === "v") return [ready, { _tag: "Attach", paths: [], text: "" }]
  if (key.ctrl && key.text === "r") return [{ ...ready, recall: Recall.begun }]
  return typed({ ...ready, editor: Editor.press(ready.editor, key) ?? ready.editor })
}

/** After each letter it is looked what may be meant; the first `@` asks which files there are. */
const typed = (screen: Screen): Next =>
  Completion.mentions(screen.editor) && screen.names.files === undefined ? [{ ...screen, offer: undefined }, { _tag: "ListFiles" }] : [offering(screen)]

const offering = (screen: Screen): Screen => ({ ...screen, offer: choosing(screen) ? undefined : Completion.of(screen.editor, screen.names) })

/** Keys of an offer; undefined for those that go on typing. Enter takes what is offered where that says more than what stands there. */
const completed = (screen: Screen, offer: Completion.Offer, key: Editor.Key): Screen | undefined => {
  if (key.name === "escape") return { ...screen, offer: undefined }
  if (key.name === "up" || key.name === "down") return { ...screen, offer: Completion.moved(offer, key.name === "up" ? -1 : 1) }
  const whole = screen.editor.text.slice(offer.from, screen.editor.cursor) === offer.options[offer.at]
  if ((key.name === "tab" && !key.shift) || (key.name === "enter" && !key.alt && !whole)) {
    return offering({ ...screen, editor: Completion.accepted(screen.editor, offer) })
  }
  return undefined
}

const picked = (screen: Screen, picker: Picker.Picker, key: Editor.Key): Next => {
  const next = Picker.press(picker, key)
  return "picker" in next ? [{ ...screen, picker: next.picker }] : [{ ...screen, picker: undefined }, { _tag: "Chosen", from: picker, choice: next.choice }]
}

const recalled = (screen: Screen, recall: Recall.Recall, key: Editor.Key): Screen => {
  const next = Recall.press(screen.editor, recall, key)
  return "recall" in next ? { ...screen, recall: next.recall } : { ...screen, recall: undefined, editor: next.editor }
}

/** Escape and Ctrl-C: take back, interrupt, leave, in this order. */
const stop = (screen: Screen, key: Editor.Key): Next => {
  if (screen.refusing) return [{ ...screen, refusing: false, editor: Editor.filled(screen.editor, "") }]
  if (screen.interrupting && key.ctrl) return [screen, { _tag: "Leave", by: "interrupt" }]
  if (screen.view.working) return screen.interrupting ? [screen] : [{ ...screen, interrupting: true }, { _tag: "Interrupt" }]
  if (screen.editor.text !== "") return [{ ...screen, editor: Editor.filled(screen.editor, ""), leaving: false }]
  if (!key.ctrl) return [screen]
  return screen.leaving ? [screen, { _tag: "Leave", by: "interrupt" }] : [{ ...screen, leaving: true }]
}

const toggle = (screen: Screen): Next => {
  const mode = screen.view.status.mode as Mode
  return mode === "plan"
    ? [screen, { _tag: "Switch", mode: screen.act }]
    : [{ ...screen, act: mode }, { _tag: "Switch", mode: "plan" }]
}

/** Whether more than this once may be allowed: where a rule is narrow enough, and all of what it answers was on the screen. */
export const offered = ({ unread, waiting }: Screen): boolean => waiting?._tag === "Approval" && waiting.question.offer.length > 0 && unread.length === 0

const turned = (screen: Screen): Screen => {
  if (screen.unread.length === 0) return screen
  const [view, unread] = Asking.more(screen.view, screen.unread, Asking.page(screen.rows))
  return { ...screen, view, unread }
}

/** The keys of an approval, as its line shows them. What is high risk has no default. */
const choose = (screen: Screen, key: Editor.Key): Next => {
  const to = screen.waiting
  if (to?._tag !== "Approval" || !screen.armed) return [screen]
  const { risk } = to.question
  const lasting = offered(screen)
  const allow = (scope: Answer["scope"]): Next => [screen, { _tag: "Answer", to, answer: { decision: "allow", scope, by: "user" } }]
  switch (key.name === "enter" ? "enter" : key.text.toLowerCase()) {
    case "y":
      return allow("once")
    case "enter":
      return risk === "high" ? [screen] : allow("once")
    case "s":
      return lasting ? allow("session") : [screen]
    case "a":
      return lasting ? allow("always") : [screen]
    case "m":
      return screen.alike.length === 0 ? [screen]
        : [{ ...screen, granted: new Set([...screen.granted, ...screen.alike]) }, { _tag: "Answer", to, answer: { decision: "allow", scope: "once", by: "user" } }]
    case " ":
      return [turned(screen)]
    case "d":
      return [screen.folded === undefined ? screen : { ...screen, folded: undefined, view: Asking.opened(screen.view, screen.folded) }]
    case "e":
      return [screen, { _tag: "Edit", to }]
    case "n":
      return [{ ...screen, refusing: true, editor: Editor.filled(screen.editor, "") }]
    default:
      return [screen]
  }
}

const enter = (screen: Screen): Next => {
  const { editor, waiting } = screen
  if (Editor.continues(editor)) return [{ ...screen, editor: Editor.broken(editor) }]
  const words = editor.text.trim()
  if (waiting?._tag === "Approval") {
    const answer: Answer = { decision: "deny", scope: "once", by: "user", ...(words === "" ? {} : { words }) }
    return [{ ...screen, refusing: false, editor: Editor.sent(editor) }, { _tag: "Answer", to: waiting, answer }]
  }
  if (words === "") return [screen]
  if (waiting?._tag === "Question") {
    const chosen = /^\d+$/.test(words) ? waiting.options[Number(words) - 1] : undefined
    return [{ ...screen, editor: Editor.sent(editor) }, { _tag: "Reply", to: waiting, reply: { by: "user", words: chosen ?? words } }]
  }
  const called = Slash.called(words)
  if (called !== undefined) return commanded(screen, called)
  if (/^\/[a-z]+$/.test(words) && !screen.names.commands.has(words.slice(1))) return [{ ...screen, hint: View.text(`There is no ${words}; /help lists what there is.`) }]
  return say(screen, screen.view.working ? "steer" : "task")
}

const say = (screen: Screen, delivery: Delivery): Next => {
  const text = screen.editor.text.trim()
  return text === "" ? [screen] : [{ ...screen, editor: Editor.sent(screen.editor), offer: undefined }, { _tag: "Say", text: Pictures.said(text, screen.pictures), delivery }]
}

/** A command of ours: done by the screen itself, or wished. */
const commanded = (screen: Screen, { slash: { idle, name }, words }: NonNullable<ReturnType<typeof Slash.called>>): Next => {
  if (idle === true && screen.view.working) return [{ ...screen, hint: View.text(`/${name} waits until nothing runs: Esc interrupts.`) }]
  const ready: Screen = { ...screen, editor: Editor.sent(screen.editor), offer: undefined }
  const local = (locals as Readonly<Record<string, (screen: Screen) => Next>>)[name]
  return local?.(ready) ?? [ready, { _tag: "Command", name: name as Slash.Wished, words }]
}

const locals: Readonly<Record<Slash.Local, (screen: Screen) => Next>> = {
  act: (screen) => [screen, { _tag: "Switch", mode: screen.act }],
  help: (screen) => [{ ...screen, view: View.noted(screen.view, help, "info") }],
  plan: (screen) => [{ ...screen, act: screen.view.status.mode === "plan" ? screen.act : screen.view.status.mode as Mode }, { _tag: "Switch", mode: "plan" }],
  quit: (screen) => [screen, { _tag: "Leave", by: "word" }]
}

const help = [
  "Enter sends; while it works it steers, and Tab or Alt-Enter queues for afterwards.",
  "Backslash and Enter, or Ctrl-J, begin a new line. Up and Down go through what was said, Ctrl-R searches it.",
  "Shift-Tab switches between plan and act. Esc or Ctrl-C interrupts; Ctrl-C twice leaves.",
  "Tab completes commands behind / and files behind @.",
  "A picture that is dropped here goes along, and with Ctrl-V the one in the clipboard.",
  "@file, @folder/, @\"with spaces\", @https://…, @commit, @git-changes, @terminal and @problems go with what you say.",
  "",
  ...Slash.lines,
  "/name                     .dacapo/commands/name.md, a command of yours"
].join("\n")
