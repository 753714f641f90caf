/** The state of the view: what is on the screen of a session. */
import * as Model from "../../../domain/provider/Model.ts"
import type { Kind } from "../../../domain/session/SessionEvent.ts"
import type { Block } from "./Block.ts"
import * as StreamingResponse from "./StreamingResponse.ts"
import { emptyStream, text, type TextStream, type SafeText } from "./DisplayText.ts"

/** A tool call that is being written, is waiting, or is running. */
export interface Call {
  readonly id: string
  /** The tool, once the response is complete. */
  readonly name?: string
  readonly label: SafeText
  /** The label of a read-only call. */
  readonly readLabel?: SafeText
  readonly kind: Kind
  /** The call needs approval: the hash of its exact action, and its risk. */
  readonly approval?: { readonly action: string; readonly risk: string }
  /** It was denied without a question: what would allow it. */
  readonly remedy?: SafeText
  /** `interrupted`: its process ended, and the session was resumed. */
  readonly state: "writing" | "waiting" | "asked" | "running" | "interrupted"
  /** The end of its output. */
  readonly output: TextStream
  /** The length of the text parameters written so far, in UTF-16 units. */
  readonly writtenLength?: number
  /** The end of the parameter that is being written. */
  readonly preview?: ReadonlyArray<SafeText>
}

export interface Status {
  readonly mode: string
  readonly model: SafeText
  /** What follows the name of the session's own model: `:high` for an effort; empty without one. */
  readonly effort: { readonly model: SafeText; readonly suffix: SafeText }
  /** Tokens of the last request and its response, and of the context window; 0 if unknown. */
  readonly tokens: number
  readonly window: number
  readonly cost: number
  readonly cached: number
  readonly queued: number
  /** The git branch; empty if there is none, or it is not known yet. */
  readonly branch: SafeText
  /** Some figures are estimates, because a provider reported none. */
  readonly estimated: boolean
}

/** A pause before the next request. `isWaiting`: all retries failed, and the task waits for the provider. */
export interface Pause {
  readonly until: number
  readonly isWaiting: boolean
}

/** The session's own model, and its effort. */
export const ownModel = (model: Model.Model): Pick<Status, "effort" | "model"> => {
  const title = text(Model.title(model))
  return { model: title, effort: { model: title, suffix: text(Model.nameWithEffort(model).slice(Model.title(model).length)) } }
}

export interface View {
  /** The session's name, or the first line of its first message; empty before that. */
  readonly title: SafeText
  /** Grows in place: the fold owns the array. */
  readonly blocks: ReadonlyArray<Block>
  /** The streaming response. */
  readonly answer: StreamingResponse.StreamingResponse
  readonly thought: TextStream
  /** Whether the reasoning before this response's text is printed already. */
  readonly hasPrintedThoughts: boolean
  /** The last text that the model wrote to the user: a task result equal to it is already on the screen. */
  readonly lastResponse: string
  readonly calls: ReadonlyArray<Call>
  readonly todo: ReadonlyArray<{ readonly text: SafeText; readonly state: "pending" | "in_progress" | "done" }>
  readonly status: Status
  readonly pause: Pause | undefined
  /** A checkpoint that is being saved: how many files of how many, 0 before they are counted. */
  readonly saving: { readonly saved: number; readonly total: number } | undefined
  /** Tokens of the responses of this task, and the length of the streaming one's text and reasoning, in UTF-16 units. */
  readonly taskTokens: number
  readonly streamedLength: number
  /** The time of the last settled event, in ms since the epoch. */
  readonly changedAt: number
  readonly isWorking: boolean
  /** Whether the last task can be continued, as `Session.canResume` tells it from the log. */
  readonly canContinue: boolean
}

/** Whatever ran before a session is resumed ended with its process; `goOn`: an unfinished task continues. */
export const resumed = (
  { calls, canContinue, isWorking }: View,
  goOn: boolean
): Pick<View, "calls" | "canContinue" | "isWorking" | "pause"> => ({
  calls: calls.map((call) => call.state === "running" ? { ...call, state: "interrupted" } : call),
  canContinue: isWorking || canContinue,
  isWorking: goOn && (isWorking || canContinue),
  pause: undefined
})

/** The view before the first event. */
export const initial = (
  options: { readonly mode: string; readonly model: Model.Model } = { mode: "default", model: Model.unknown }
): View => ({
  title: text(""),
  blocks: [],
  answer: StreamingResponse.empty,
  thought: emptyStream,
  hasPrintedThoughts: false,
  lastResponse: "",
  calls: [],
  todo: [],
  status: {
    mode: options.mode,
    ...(options.model.id === "" ? { model: text(""), effort: { model: text(""), suffix: text("") } } : ownModel(options.model)),
    tokens: 0,
    window: options.model.window,
    cost: 0,
    cached: 0,
    queued: 0,
    branch: text(""),
    estimated: false
  },
  pause: undefined,
  saving: undefined,
  taskTokens: 0,
  streamedLength: 0,
  changedAt: 0,
  isWorking: false,
  canContinue: false
})
