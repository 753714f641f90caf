/** The state of a session after an event: what its events are folded into. */
import * as Gauge from "../context/WindowUsage.ts"
import * as ServerTools from "../mcp/ServerTools.ts"
import * as HookPoint from "../hook/HookPoint.ts"
import type { Content, Message } from "../message/Message.ts"
import * as Model from "../provider/Model.ts"
import type { ProviderReason } from "../provider/ProviderError.ts"
import type * as Outcome from "../tool/Outcome.ts"
import type * as FileState from "../workspace/FileState.ts"
import { initial, type State } from "./Amount.ts"
import * as Limits from "./Limits.ts"
import type { Facts, SessionEvent, SessionSettings } from "./SessionEvent.ts"
import { idleTask, type Task } from "./Task.ts"
import * as Terminal from "./LastCommand.ts"
import type * as Transcript from "./Transcript.ts"
import * as Usage from "./Usage.ts"
import type { StoredFiles } from "../workspace/StoredFiles.ts"

/** `events` grow in place: only the newest state owns all of them, an older one its first `length`. */
export interface RewindHistory {
  readonly base: Session | undefined
  readonly events: Array<SessionEvent>
  readonly length: number
}

export interface Session {
  /** Seq of the last event; −1 before the first. */
  readonly seq: number
  readonly time: number
  readonly id: string
  readonly cwd: string
  readonly home: string
  readonly seed: string
  /** The session that started this one. */
  readonly parent: string | undefined
  /** ms since the epoch. */
  readonly createdAt: number
  /** The name that the user gave it, else the first line of the first message. */
  readonly title: string
  readonly settings: SessionSettings
  /** Rules that the user allowed for this session. */
  readonly grants: ReadonlyArray<string>
  readonly facts: Facts | undefined
  /** What MCP servers offer; `loaded` names their tools that are declared to the model if not all are. */
  readonly offer: ServerTools.ServerTools
  readonly loadedTools: ReadonlyArray<string>
  /** Blobs of the system prompt and of the tools, as they were last sent. */
  readonly system: string | undefined
  readonly tools: string | undefined
  /** What the model sees of all turns so far. */
  readonly messages: ReadonlyArray<Message>
  readonly windowUsage: Gauge.WindowUsage
  /** Our count of the last request, in tokens. */
  readonly requestTokens: number
  /** What the model was writing when the user stopped it: it precedes the user's next message. */
  readonly partialText: string | undefined
  /** Input that was not sent yet. */
  readonly pendingContent: ReadonlyArray<Content>
  /** Input queued until the end of the task. */
  readonly queue: ReadonlyArray<Content>
  /** Keys of recorded messages, on every path. */
  readonly messageKeys: ReadonlySet<string>
  /** Calls of the last response. */
  readonly calls: ReadonlyArray<Transcript.Call>
  /** The loop's position in a turn: whether a response is due, and how it ended. */
  readonly model: "awaited" | "requested" | "responded"
  /** Why the last request has no response, until something follows from that. */
  readonly requestFailure: { readonly reason: ProviderReason; readonly message: string } | undefined
  /** Waiting for the provider: since when, and until when it is left alone; ms since the epoch. */
  readonly wait: { readonly since: number; readonly until: number } | undefined
  /** The fallback model that took over: its place in the chain, from 1, and until when; undefined: until the task ends. */
  readonly activeFallback: (Model.ModelChoice & { readonly place: number; readonly until: number | undefined }) | undefined
  /** Why the last response ended, if it had no call. */
  readonly stop: string
  /** What to tell the model about its last response, which was meant to hold a call but did not. */
  readonly nearMiss: string | undefined
  readonly task: Task
  /** Responses of all tasks, including truncated ones. */
  readonly assistantMessageCount: number
  readonly usage: Usage.TokenUsage
  readonly cost: number
  readonly budget: State
  readonly todo: ReadonlyArray<Outcome.TodoItem>
  /** What the last commands printed. */
  readonly terminal: Terminal.LastCommand
  /**
   * `isFresh`: saved since the turn began and since the last edit or command; `isDirty`: something ran since it was saved; `isDue`: a
   * checkpoint is being taken while the request is under way; `isRequested`: the user switched between planning and acting,
   * or nothing is stored yet of the files that the log is to carry. `stored`: what it carries.
   */
  readonly checkpoint: {
    readonly id?: string
    readonly disabledReason?: string
    readonly isFresh: boolean
    readonly isDirty: boolean
    readonly isDue: boolean
    readonly isRequested?: boolean
    readonly stored?: StoredFiles
  }
  /** Hash of each file as last read or written by us; if the file on disk differs, someone else changed it. */
  readonly files: ReadonlyMap<string, string | null>
  /** When these files were touched, how often, and by whom. */
  readonly fileStates: FileState.FileStates
  /** Moments at which hooks are due. */
  readonly hooks: HookPoint.HookState
  /** Responses so far, on every path: the number names their calls. */
  readonly responseCount: number
  readonly past: RewindHistory
}

/** Before the first event. */
export const empty: Session = {
  seq: -1,
  time: 0,
  id: "",
  cwd: "",
  home: "",
  seed: "",
  parent: undefined,
  createdAt: 0,
  title: "",
  settings: {
    model: Model.unknown,
    mode: "default",
    toolFormat: "native",
    limits: Limits.defaults,
    rules: { allow: [], ask: [], deny: [] },
    onAsk: "deny"
  },
  grants: [],
  facts: undefined,
  offer: ServerTools.noServerTools,
  loadedTools: [],
  system: undefined,
  tools: undefined,
  messages: [],
  windowUsage: Gauge.initial,
  requestTokens: 0,
  partialText: undefined,
  pendingContent: [],
  queue: [],
  messageKeys: new Set(),
  calls: [],
  model: "awaited",
  requestFailure: undefined,
  wait: undefined,
  activeFallback: undefined,
  stop: "",
  nearMiss: undefined,
  task: idleTask,
  assistantMessageCount: 0,
  usage: Usage.zero,
  cost: 0,
  budget: initial,
  todo: [],
  terminal: Terminal.initial,
  checkpoint: { isFresh: false, isDirty: false, isDue: false },
  files: new Map(),
  fileStates: new Map(),
  hooks: HookPoint.initial,
  responseCount: 0,
  past: { base: undefined, events: [], length: 0 }
}
