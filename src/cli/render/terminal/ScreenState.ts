/** The state of the interactive screen, the messages that change it, and the actions that come out. */
import type { Mode } from "../../../domain/approval/Mode.ts"
import * as Progress from "../../../domain/session/Progress.ts"
import type { Delivery, Followed, SessionEvent } from "../../../domain/session/SessionEvent.ts"
import type { TodoItem } from "../../../domain/tool/Outcome.ts"
import type { Answer, Reply } from "../../../services/Approver.ts"
import type { PendingPrompt } from "../../terminal/TerminalApprover.ts"
import * as PromptCompletion from "./PromptCompletion.ts"
import type * as CommandView from "./CommandView.ts"
import * as LineEditor from "./LineEditor.ts"
import * as Picker from "./Picker.ts"
import * as ImageLabels from "./ImageLabels.ts"
import * as PastedText from "./PastedText.ts"
import * as HistorySearch from "./HistorySearch.ts"
import type * as TodoEditor from "./TodoEditor.ts"
import * as SlashList from "./SlashList.ts"
import * as View from "../view/View.ts"

/** A prompt or list that takes the keys once it is ready. */
export type ActivePrompt = PendingPrompt | Picker.Picker

/**
 * - `readyPrompt`: the prompt that takes keys: it was drawn, and nothing was typed for a moment. Until then keys go into the input
 *   line, so that a key meant for the input line does not answer a prompt.
 * - `isRefusing`: the user declines a call and types what to do instead; `draft` is the input line from before.
 * - `selectedChoice`: the highlighted answer to the prompt, if any.
 * - `unread`: lines of a long approval that were not shown yet; `hiddenDiff`: its diff, until all of it is shown.
 * - `isLeaving`: Ctrl-C was pressed while nothing ran; pressing it again exits. `isEscaping`: the same of Escape, which then edits the
 *   last message.
 * - `showsKeys`: the keys are listed below the input line, until the next key.
 * - `userCommand`: a shell command of the user's own that is running, and its output so far.
 * - `workMode`: the mode to return to from plan mode. `otherMode`: one that Shift-Tab left and does not go through otherwise.
 */
export interface Screen {
  readonly view: View.View
  readonly editor: LineEditor.Editor
  readonly pending: PendingPrompt | undefined
  readonly readyPrompt: ActivePrompt | undefined
  readonly selectedChoice: number | undefined
  /** Messages to send once the task ends, as they were typed. */
  readonly queued: ReadonlyArray<string>
  /** They were sent, and are not in the session yet. */
  readonly isSendingQueue: boolean
  readonly isRefusing: boolean
  readonly draft: string
  readonly unread: ReadonlyArray<View.SafeText>
  readonly hiddenDiff: string | undefined
  /** Hashes of waiting actions of the same kind as the prompt's; and of those that were allowed together with it. */
  readonly similarActions: ReadonlyArray<string>
  readonly allowedActions: ReadonlySet<string>
  /** The user answered a prompt of this task by accepting all edits: those that were judged before are not asked about. */
  readonly acceptsEdits: boolean
  readonly isInterrupting: boolean
  readonly isLeaving: boolean
  readonly isEscaping: boolean
  readonly showsKeys: boolean
  readonly userCommand: { readonly command: string; readonly output: View.TextStream } | undefined
  /** Commands that run in this process, also those that the agent no longer waits for. */
  readonly runningCommands: number
  /** The command whose terminal asks for hidden input, which only the user types. */
  readonly asksForInput: RunningCommand | undefined
  /** The output of a command on the whole screen; it takes all keys. */
  readonly commandView: CommandView.CommandView | undefined
  readonly workMode: Mode
  readonly otherMode: Mode | undefined
  /** Names to complete: the user's commands, and files after the first `@`. */
  readonly names: PromptCompletion.Names
  /** Completions of the word at the cursor. */
  readonly suggestions: PromptCompletion.Suggestions | undefined
  /** A list to choose from; it takes all keys. */
  readonly picker: Picker.Picker | undefined
  /** The to-do list while the user edits it; it takes all keys. */
  readonly todoEditor: TodoEditor.TodoEditor | undefined
  /** The search in the input history. */
  readonly historySearch: HistorySearch.HistorySearch | undefined
  /** `recalling`: they are being read, and the last of them is shown then, unless another key comes first. */
  readonly earlierMessages: "unread" | "reading" | "recalling" | "read"
  /** A message in the hint line, until the next key. */
  readonly hint: View.SafeText | undefined
  /** Running work, including subagents; the session's own events are under "". */
  readonly progress: Progress.Progress
  /** The time of the last tick, in ms since the epoch; ticks arrive during countdowns. */
  readonly now: number
  /** The size of the terminal. */
  readonly rows: number
  readonly columns: number
  /** Whether the terminal has the focus, if it reports that. */
  readonly isFocused: boolean | undefined
  readonly images: ImageLabels.Images
  readonly pastes: PastedText.Pastes
  /** Blocks whose elided output was shown. */
  readonly opened: ReadonlySet<View.Block>
  /** Whether signs of running work may move. */
  readonly hasMotion: boolean
}

export type Message =
  | { readonly _tag: "Followed"; readonly followed: Followed }
  | { readonly _tag: "Subagent"; readonly session: string; readonly at: SessionEvent }
  | { readonly _tag: "Pending"; readonly pending: PendingPrompt | undefined }
  /** This prompt was drawn, and nothing was typed for a moment since. */
  | { readonly _tag: "Ready"; readonly prompt: ActivePrompt | undefined }
  /** The user types into the terminal's own line. */
  | { readonly _tag: "Typing" }
  | { readonly _tag: "Key"; readonly key: LineEditor.Key }
  | { readonly _tag: "Pasted"; readonly text: string }
  | { readonly _tag: "Mode"; readonly mode: Mode }
  /** Commands in addition to the built-in ones: the user's own, and prompts of MCP servers. */
  | { readonly _tag: "Commands"; readonly commands: ReadonlyArray<SlashList.Entry> }
  | { readonly _tag: "Files"; readonly names: ReadonlyArray<string> }
  /** The user's messages in earlier sessions of this folder, oldest first. */
  | { readonly _tag: "Messages"; readonly messages: ReadonlyArray<string> }
  | {
    readonly _tag: "Pick"
    readonly title: string
    readonly options: ReadonlyArray<string>
    readonly selected: number
    readonly marks?: ReadonlySet<number> | undefined
    readonly answer: Picker.Picker["answer"]
  }
  /** The conversation switched to another session. */
  | { readonly _tag: "SessionChanged"; readonly view: View.View }
  /** A text for the input line. */
  | { readonly _tag: "Draft"; readonly text: string }
  | { readonly _tag: "Note"; readonly text: string; readonly tone: View.Tone }
  /** The user's own shell command that is running, and what it prints. */
  | { readonly _tag: "UserCommand"; readonly command: string | undefined }
  | { readonly _tag: "UserOutput"; readonly text: string }
  | { readonly _tag: "RunningCommands"; readonly count: number; readonly secretPrompt?: RunningCommand | undefined }
  /** The user edits the to-do list. */
  | { readonly _tag: "EditTodo"; readonly items: ReadonlyArray<TodoItem> }
  /** A command is shown; and what was read of it since. */
  | { readonly _tag: "CommandOpened"; readonly id: string; readonly command: string; readonly snapshot: CommandView.Snapshot }
  | { readonly _tag: "CommandOutput"; readonly id: string; readonly snapshot: CommandView.Snapshot }
  /** Whether the input line has vi keys. */
  | { readonly _tag: "EditorMode"; readonly vi: boolean }
  /** A diff, shown as a block of its own. */
  | { readonly _tag: "Patch"; readonly patch: string }
  | { readonly _tag: "Tick"; readonly now: number }
  | { readonly _tag: "Resize"; readonly columns: number; readonly rows: number }
  | { readonly _tag: "Focus"; readonly focused: boolean }
  /** Images to attach. */
  | { readonly _tag: "Images"; readonly images: ReadonlyArray<ImageLabels.Image> }
  /** A text that was pasted and names no images. */
  | { readonly _tag: "Insert"; readonly text: string }

/** What the screen asks its owner to do. */
export type Action =
  | { readonly _tag: "Say"; readonly text: string; readonly delivery: Delivery }
  /** `mode`: switch to it first. */
  | { readonly _tag: "Answer"; readonly to: Approval; readonly answer: Answer; readonly mode?: Mode }
  /** Edit the call in an editor, and answer with the result. */
  | { readonly _tag: "Edit"; readonly to: Approval }
  | { readonly _tag: "Reply"; readonly to: Question; readonly reply: Reply }
  /** A slash command. */
  | { readonly _tag: "Command"; readonly name: SlashList.Remote; readonly args: string }
  | { readonly _tag: "Choose"; readonly from: Picker.Picker; readonly choice: number | undefined }
  /** List the user's messages in earlier sessions of this folder. */
  | { readonly _tag: "ListMessages" }
  /** List the files of the workspace for completion. */
  | { readonly _tag: "ListFiles" }
  /** Attach the images at these paths, which were pasted as `text`; without paths, the clipboard's image. */
  | { readonly _tag: "Attach"; readonly paths: ReadonlyArray<string>; readonly text: string }
  | { readonly _tag: "Interrupt" }
  /** Run a shell command of the user's own, or stop it. */
  | { readonly _tag: "RunUserCommand"; readonly command: string }
  | { readonly _tag: "StopUserCommand" }
  /** Move the commands that the agent waits for to the background. */
  | { readonly _tag: "Background" }
  /** Show the command that waits for input, or the one that the agent waits for. */
  | { readonly _tag: "OpenCommand" }
  /** The to-do list as the user edited it, from the list as it was when the editor opened. */
  | { readonly _tag: "SaveTodo"; readonly items: ReadonlyArray<TodoItem>; readonly stored: ReadonlyArray<TodoItem> }
  /** Type into a command. */
  | { readonly _tag: "TypeInput"; readonly id: string; readonly keys: string }
  /** Open the input line in an editor. */
  | { readonly _tag: "EditDraft"; readonly text: string }
  | { readonly _tag: "Switch"; readonly mode: Mode }
  /** `by`: Ctrl-C, or a command. */
  | { readonly _tag: "Leave"; readonly by: "interrupt" | "command" }

export const initial = (view: View.View): Screen => ({
  view,
  editor: LineEditor.empty,
  pending: undefined,
  readyPrompt: undefined,
  selectedChoice: undefined,
  queued: [],
  isSendingQueue: false,
  isRefusing: false,
  draft: "",
  unread: [],
  hiddenDiff: undefined,
  similarActions: [],
  allowedActions: new Set(),
  acceptsEdits: false,
  isInterrupting: false,
  isLeaving: false,
  isEscaping: false,
  showsKeys: false,
  userCommand: undefined,
  runningCommands: 0,
  asksForInput: undefined,
  commandView: undefined,
  workMode: view.status.mode === "plan" ? "default" : view.status.mode as Mode,
  otherMode: undefined,
  names: { commands: [], files: undefined },
  suggestions: undefined,
  picker: undefined,
  todoEditor: undefined,
  historySearch: undefined,
  earlierMessages: "unread",
  hint: undefined,
  progress: Progress.initial(),
  now: 0,
  rows: 40,
  columns: 80,
  isFocused: undefined,
  images: new Map(),
  pastes: new Map(),
  opened: new Set(),
  hasMotion: true
})

/** A command that runs, by the id of its call. */
export interface RunningCommand {
  readonly id: string
  readonly command: string
}

export type Approval = Extract<PendingPrompt, { readonly _tag: "Approval" }>
export type Question = Extract<PendingPrompt, { readonly _tag: "Question" }>

/** The next screen, and what is to be done besides. */
export type Update = readonly [Screen, Action?]
