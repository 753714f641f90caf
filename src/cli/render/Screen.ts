/**
 * The terminal as a pure state: what happens to it (events of the session, keys, questions) and what follows from
 * that. Live draws it and Interactive does what it asks for.
 */
import type { Mode } from "../../domain/approval/Mode.ts"
import * as Progress from "../../domain/session/Progress.ts"
import type { Delivery, Followed, SessionEvent } from "../../domain/session/SessionEvent.ts"
import type { Answer, Reply } from "../../services/Approver.ts"
import type { Waiting } from "../TerminalApprover.ts"
import * as Asking from "./Asking.ts"
import * as Editor from "./Editor.ts"
import * as View from "./View.ts"

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
  readonly interrupting: boolean
  readonly leaving: boolean
  readonly act: Mode
  /** Names of commands that the user wrote down. */
  readonly commands: ReadonlySet<string>
  /** One line of ours, until the next key. */
  readonly hint: View.Shown | undefined
  /** What runs, in the sessions that this one started too; its own events stand under "". */
  readonly progress: Progress.Progress
  /** ms since the epoch, as of the last tick; ticks come while something is counted down. */
  readonly now: number
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
  | { readonly _tag: "Noted"; readonly text: string; readonly tone: View.Tone }
  | { readonly _tag: "Tick"; readonly now: number }

/** What the outside is to do. */
export type Wish =
  | { readonly _tag: "Say"; readonly text: string; readonly delivery: Delivery }
  | { readonly _tag: "Answer"; readonly to: Approval; readonly answer: Answer }
  | { readonly _tag: "Reply"; readonly to: Question; readonly reply: Reply }
  /** Make the conversation smaller; show what fills the window. */
  | { readonly _tag: "Compact" }
  | { readonly _tag: "Context" }
  /** Go on with a task that was not finished. */
  | { readonly _tag: "GoOn" }
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
  interrupting: false,
  leaving: false,
  act: view.status.mode === "plan" ? "default" : view.status.mode as Mode,
  commands: new Set(),
  hint: undefined,
  progress: Progress.initial(),
  now: 0
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
      return [{ ...screen, view, progress, now, interrupting: screen.interrupting && view.working }]
    }
    case "Child":
      return [{ ...screen, progress: Progress.update(screen.progress, "", message.session, message.at), now: Math.max(screen.now, message.at.time) }]
    case "Tick":
      return [{ ...screen, now: message.now }]
    case "Waits":
      return [{
        ...screen,
        waiting: message.waiting,
        armed: false,
        refusing: false,
        unread: message.waiting?._tag === "Approval" ? Asking.unread(message.waiting.question) : [],
        folded: message.waiting?._tag === "Approval" && message.waiting.question.risk !== "high" ? message.waiting.question.diff : undefined,
        view: message.waiting === undefined ? screen.view : Asking.asked(screen.view, message.waiting)
      }]
    case "Armed":
      return [{ ...screen, armed: screen.armed || screen.waiting === message.waiting }]
    case "Mode":
      return [{ ...screen, view: { ...screen.view, status: { ...screen.view.status, mode: message.mode } } }]
    case "Commands":
      return [{ ...screen, commands: new Set(message.names) }]
    case "Noted":
      return [{ ...screen, view: View.noted(screen.view, message.text, message.tone) }]
    case "Pasted":
      return choosing(screen) ? [screen] : [{ ...screen, editor: Editor.insert(screen.editor, message.text), hint: undefined }]
    case "Key":
      return pressed({ ...screen, hint: undefined }, message.key)
  }
}

/** Whether something is shown that goes on with the clock: a pause, children at work. */
export const ticks = ({ progress, view }: Screen): boolean => view.pause !== undefined || [...progress.running.values()].some(({ kind }) => kind === "child")

/** Whether single keys answer instead of typing. */
export const choosing = ({ refusing, waiting }: Screen): boolean => waiting?._tag === "Approval" && !refusing

const pressed = (screen: Screen, key: Editor.Key): Next => {
  if (key.name === "escape" || (key.ctrl && key.text === "c")) return stop(screen, key)
  const ready = screen.leaving ? { ...screen, leaving: false } : screen
  if (key.ctrl && key.text === "d" && ready.editor.text === "") return [ready, { _tag: "Leave", by: "word" }]
  if (key.name === "tab" && key.shift) return toggle(ready)
  if (choosing(ready)) return choose(ready, key)
  if (key.name === "enter" && !key.alt) return enter(ready)
  if (key.name === "tab" || (key.name === "enter" && key.alt)) return ready.view.working ? say(ready, "queue") : [ready]
  return [{ ...ready, editor: Editor.press(ready.editor, key) ?? ready.editor }]
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
  const [view, unread] = Asking.more(screen.view, screen.unread)
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
    case " ":
      return [turned(screen)]
    case "d":
      return [screen.folded === undefined ? screen : { ...screen, folded: undefined, view: Asking.opened(screen.view, screen.folded) }]
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
  const slash = /^\/[a-z]+$/.test(words) ? slashes[words] : undefined
  if (slash !== undefined) return slash({ ...screen, editor: Editor.sent(editor) })
  if (/^\/[a-z]+$/.test(words) && !screen.commands.has(words.slice(1))) return [{ ...screen, hint: View.text(`There is no ${words}; /help lists what there is.`) }]
  return say(screen, screen.view.working ? "steer" : "task")
}

const say = (screen: Screen, delivery: Delivery): Next => {
  const text = screen.editor.text.trim()
  return text === "" ? [screen] : [{ ...screen, editor: Editor.sent(screen.editor) }, { _tag: "Say", text, delivery }]
}

/** Commands of the input line. */
const slashes: Readonly<Record<string, (screen: Screen) => Next>> = {
  "/help": (screen) => [{ ...screen, view: View.noted(screen.view, help, "info") }],
  "/plan": (screen) => [{ ...screen, act: screen.view.status.mode === "plan" ? screen.act : screen.view.status.mode as Mode }, { _tag: "Switch", mode: "plan" }],
  "/act": (screen) => [screen, { _tag: "Switch", mode: screen.act }],
  "/compact": (screen) => [screen, { _tag: "Compact" }],
  "/smol": (screen) => [screen, { _tag: "Compact" }],
  "/condense": (screen) => [screen, { _tag: "Compact" }],
  "/context": (screen) => [screen, { _tag: "Context" }],
  "/go": (screen) => screen.view.working ? [screen] : [screen, { _tag: "GoOn" }],
  "/quit": (screen) => [screen, { _tag: "Leave", by: "word" }],
  "/exit": (screen) => [screen, { _tag: "Leave", by: "word" }]
}

const help = [
  "Enter sends; while it works it steers, and Tab or Alt-Enter queues for afterwards.",
  "Backslash and Enter begin a new line. Up and Down go through what was said.",
  "Shift-Tab switches between plan and act. Esc or Ctrl-C interrupts; Ctrl-C twice leaves.",
  "/plan, /act, /go (go on with what was not finished), /compact (or /smol, /condense), /context, /help, /quit",
  "@file, @folder/, @\"with spaces\", @https://…, @commit, @git-changes, @terminal and @problems go with what you say.",
  "/name runs .efferent/commands/name.md, of the project or of yours."
].join("\n")
