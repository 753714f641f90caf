/**
 * What a person sees of a session: a fold over what is followed, and its lines. Pure.
 * Whatever a model, a tool, a file or a server said enters through `text`, whose brand every renderer asks for.
 */
import * as Message from "../../../domain/message/Message.ts"
import type { Content } from "../../../domain/message/Message.ts"
import * as Model from "../../../domain/provider/Model.ts"
import { patience } from "../../../domain/provider/Retry.ts"
import type { Followed, Included, Kind, Live, Settled } from "../../../domain/session/SessionEvent.ts"
import * as Usage from "../../../domain/session/Usage.ts"
import type { Outcome } from "../../../domain/tool/Outcome.ts"
import * as Compacted from "../Compacted.ts"
import * as Pictures from "../terminal/ImageLabels.ts"
import * as Draft from "./StreamingResponse.ts"
import * as Writing from "../Writing.ts"
import { looked, seconds, told, touch } from "./CallSummary.ts"
import { flow, still, tail, text, type Flow, type Shown } from "./DisplayText.ts"

export { text, type Shown } from "./DisplayText.ts"
export { seconds, touch } from "./CallSummary.ts"

/** What is settled and never changes again: a screen prints each of them once. */
export type Block =
  | { readonly _tag: "Said"; readonly text: Shown; readonly later: boolean }
  | { readonly _tag: "Answer" } & Draft.Piece
  | { readonly _tag: "Thought"; readonly text: Shown }
  | {
    readonly _tag: "Tool"
    readonly what: Shown
    readonly status: Outcome["status"]
    readonly kind: Kind
    readonly result: Shown
    readonly shown: Shown | undefined
  }
  | { readonly _tag: "Note"; readonly text: Shown; readonly tone: Tone }
  | {
    readonly _tag: "Asked"
    readonly action: Shown
    /** Lines of the action that wait behind it. */
    readonly left: number
    /** Others of its kind that wait behind it. */
    readonly also: ReadonlyArray<Shown>
    readonly parts: ReadonlyArray<{ readonly decision: "allow" | "ask" | "deny"; readonly text: Shown }>
    readonly risk: string
    readonly reason: Shown
    readonly offer: Shown | undefined
    readonly diff: Shown | undefined
  }
  | { readonly _tag: "More"; readonly text: Shown; readonly left: number }
  | { readonly _tag: "Opened"; readonly diff: Shown }
  | { readonly _tag: "Question"; readonly text: Shown; readonly options: ReadonlyArray<Shown> }
  | { readonly _tag: "End"; readonly text: Shown; readonly tone: Tone }

export type Tone = "info" | "good" | "warn" | "bad"

/** A call that is being written, waits, or runs. */
export interface Call {
  readonly id: string
  readonly what: Shown
  /** The same for a call that only reads. */
  readonly looked?: Shown
  readonly kind: Kind
  /** It will be asked about: the hash of exactly what it would do, and its risk. */
  readonly asks?: { readonly action: string; readonly risk: string }
  readonly state: "writing" | "waiting" | "asked" | "running"
  /** The end of its output so far. */
  readonly output: Flow
  /** The end of what is being written into it. */
  readonly written?: ReadonlyArray<Shown>
}

export interface Status {
  readonly mode: string
  readonly model: Shown
  /** Tokens of the last request with its answer, and of the window; 0 where not known. */
  readonly tokens: number
  readonly window: number
  readonly cost: number
  readonly cached: number
  readonly queued: number
  /** What git calls it; empty where there is none, or it is not known yet. */
  readonly branch: Shown
  /** Something of these figures was counted by us, because a provider did not. */
  readonly estimated: boolean
}

/** The provider is left alone until then, in ms since the epoch; `wait`: all tries are used up. */
export interface Pause {
  readonly until: number
  readonly wait: boolean
}

export interface View {
  /** Grows in place: the fold owns the list. */
  readonly blocks: ReadonlyArray<Block>
  /** What the model is saying. */
  readonly answer: Draft.Draft
  readonly thought: Flow
  /** Whether thoughts of this answer are printed already: those before its words. */
  readonly mused: boolean
  /** The words of the last whole answer, as the log has them: a task that ends with them has told its result. */
  readonly said: string
  readonly calls: ReadonlyArray<Call>
  readonly todo: ReadonlyArray<{ readonly text: Shown; readonly state: "pending" | "in_progress" | "done" }>
  readonly status: Status
  readonly pause: Pause | undefined
  readonly working: boolean
  /** An interruption is told once the calls that it ended are. */
  readonly stopping: boolean
}

/** Before the first event; what is known of the session that is about to begin. */
export const initial = (known: { readonly mode: string; readonly model: Model.Model } = { mode: "default", model: Model.unknown }): View => ({
  blocks: [],
  answer: Draft.empty,
  thought: still,
  mused: false,
  said: "",
  calls: [],
  todo: [],
  status: {
    mode: known.mode,
    model: text(known.model.id === "" ? "" : Model.title(known.model)),
    tokens: 0,
    window: known.model.window,
    cost: 0,
    cached: 0,
    queued: 0,
    branch: text(""),
    estimated: false
  },
  pause: undefined,
  working: false,
  stopping: false
})

export const update = (view: View, followed: Followed): View => {
  const changes = followed._tag === "Settled" ? settled(view, followed.at.event, followed.at.time) : live(view, followed)
  return changes === undefined ? view : { ...view, ...changes }
}

const live = (view: View, event: Live): Partial<View> | undefined => {
  switch (event._tag) {
    case "Parsed":
      switch (event.part._tag) {
        case "Text": {
          const [answer, piece] = Draft.push(view.answer, event.part.text)
          const mused = musing(view)
          return {
            answer,
            ...(mused.length === 0 ? {} : { thought: still, mused: true }),
            ...add(view, ...mused, ...(piece === undefined ? [] : [answered(piece)]))
          }
        }
        case "Reasoning":
          return { thought: flow(view.thought, event.part.text) }
        case "ToolCall": {
          const { id, name, params } = event.part
          return { calls: put(view.calls, id, { what: told(name, params), state: "writing", written: Writing.end(params) }) }
        }
      }
      return undefined
    case "Discarded":
      return {
        ...(view.answer.printed === "" ? {} : noted(view, "This attempt failed: the answer above does not count.", "warn")),
        ...nothing
      }
    case "Output":
      return {
        calls: view.calls.map((call) =>
          call.id === event.call ? { ...call, output: tail(flow(call.output, event.text), 4_000) } : call
        )
      }
    case "Notice":
      return add(view, { _tag: "Note", text: text(event.text), tone: "info" })
  }
}

/** The model says nothing now. */
const nothing = { answer: Draft.empty, thought: still, mused: false, calls: [] } satisfies Partial<View>

const settled = (view: View, event: Settled, time: number): Partial<View> | undefined => {
  const { status } = view
  switch (event._tag) {
    case "SessionStarted":
    case "Resumed":
      return {
        ...guessed(view, event.settings.model),
        status: {
          ...status,
          mode: event.settings.mode,
          model: text(Model.title(event.settings.model)),
          window: event.settings.model.window
        }
      }
    case "UserSaid":
      return {
        ...add(
          view,
          { _tag: "Said", text: Pictures.told(text(event.text)), later: event.delivery === "queue" && view.working },
          ...(event.parts ?? []).flatMap((part): ReadonlyArray<Block> =>
            part._tag === "Text" && part.origin === "notice" ? [{ _tag: "Note", text: text(part.text), tone: "warn" }] : [])
        ),
        working: true,
        stopping: false,
        status: { ...status, queued: event.delivery === "queue" && view.working ? status.queued + 1 : status.queued }
      }
    case "ContextPlanned":
      return {
        ...(event.included === undefined ? {} : add(view, goAlong(event.included))),
        ...(event.facts?.git === undefined ? {} : { status: { ...status, branch: text(event.facts.git?.branch ?? "") } })
      }
    case "ModeSwitched":
      return { status: { ...status, mode: event.mode } }
    case "ModelSwitched":
      return { ...guessed(view, event.model), status: { ...status, model: text(Model.title(event.model)), window: event.model.window } }
    case "FallbackTaken":
      return {
        ...add(view, { _tag: "Note", text: text(`${event.why} ${Model.title(event.model)} takes over.`), tone: "warn" }),
        pause: undefined,
        status: { ...status, model: text(Model.title(event.model)), window: event.model.window }
      }
    case "ModelRequested":
      return { ...nothing, ...add(view, ...fresh(view, event.adapted ?? [])), pause: view.pause?.wait === true ? view.pause : undefined, status: { ...status, model: text(event.model) } }
    case "ModelResponded":
      return {
        ...nothing,
        said: Message.text(event.content),
        pause: undefined,
        ...add(
          view,
          ...(view.mused ? musing(view) : event.content.flatMap(thought)),
          ...Draft.settle(view.answer, event.content).map(answered),
          ...event.warnings.map((warning): Block => ({ _tag: "Note", text: text(warning), tone: "warn" }))
        ),
        calls: event.content.flatMap((part) =>
          part._tag === "ToolCall"
            ? [{ id: part.id, what: told(part.name, part.params), looked: looked(part.name, part.params), kind: "read" as const, state: "waiting" as const, output: still }]
            : []
        ),
        status: {
          ...status,
          tokens: Usage.inputTotal(event.usage) + event.usage.output,
          cost: status.cost + (event.cost ?? 0),
          cached: event.usage.cacheRead,
          estimated: status.estimated || event.usage.estimated === true
        }
      }
    case "ModelRetrying":
      return {
        ...add(view, {
          _tag: "Note",
          text: text(`Attempt ${event.attempt} failed: ${event.message} Trying again in ${seconds(event.delayMs)}.`),
          tone: "warn"
        }),
        pause: { until: time + event.delayMs, wait: false },
        status: paid(status, event.spent)
      }
    case "ModelWaiting":
      return {
        // Told once; what follows is a countdown.
        ...(view.pause?.wait === true ? {} : add(view, {
          _tag: "Note",
          text: text(`${event.message} The task waits, and asks again ${event.delayMs > patience ? "when that is over" : `every ${seconds(event.delayMs)}`}.`),
          tone: "warn"
        })),
        pause: { until: time + event.delayMs, wait: true }
      }
    case "BudgetSettled":
      return event.warning === undefined ? undefined : add(view, { _tag: "Note", text: text(`${event.warning}% of the budget is used.`), tone: "warn" })
    case "ModelFailed":
      return {
        ...nothing,
        status: paid(status, event.spent),
        ...add(
          view,
          ...Draft.rest(view.answer).map(answered),
          ...(event.reason._tag === "Interrupted" || view.pause?.wait === true ? [] : [{ _tag: "Note", text: text(event.message), tone: "bad" } as const])
        )
      }
    case "ToolProposed": {
      const call = view.calls.find(({ id }) => id === event.call)
      const reads = event.access.every(({ _tag }) => _tag === "Read")
      const what = event.access.length === 0 ? undefined : reads ? call?.looked : text(event.access.map(touch).join(", "))
      return {
        calls: put(view.calls, event.call, {
          kind: event.kind,
          ...(what === undefined ? {} : { what }),
          ...(event.decision === "ask" ? { asks: { action: event.action, risk: event.risk } } : {})
        })
      }
    }
    case "ApprovalAsked":
      return { calls: put(view.calls, event.call, { state: "asked" }) }
    case "ApprovalDecided":
      return { calls: put(view.calls, event.call, { state: "waiting" }) }
    case "ToolStarted":
      return { calls: put(view.calls, event.call, { state: "running" }) }
    case "ToolFinished": {
      const call = view.calls.find(({ id }) => id === event.call)
      const { content, display, ends, status, todo } = event.outcome
      const told = status === "succeeded" && (ends !== undefined || todo !== undefined) // by the end, by the list
      const calls = view.calls.filter(({ id }) => id !== event.call)
      const stopped = view.stopping && calls.length === 0
      return {
        ...add(view, ...(told ? [] : [{
          _tag: "Tool",
          what: call?.what ?? text(event.call),
          status,
          kind: call?.kind ?? "read",
          result: text(Message.text(content)),
          shown: display === undefined ? undefined : text(display)
        } as const]), ...(stopped ? [interruption] : [])),
        calls,
        stopping: view.stopping && !stopped
      }
    }
    case "ToolsChanged":
      return add(view, ...event.notes.map((note): Block => ({ _tag: "Note", text: text(note), tone: "warn" })))
    case "ContextCompacted":
      return add(view, { _tag: "Note", text: text(Compacted.told(event)), tone: event.failed === undefined ? "info" : "warn" })
    case "CheckpointsOff":
      return add(view, { _tag: "Note", text: text(`No checkpoints: ${event.why}`), tone: "warn" })
    case "TodoUpdated":
      return { todo: event.items.map((item) => ({ text: text(item.text), state: item.state })) }
    case "Reminded":
      return add(view, { _tag: "Note", text: text(event.text), tone: "info" })
    case "Interrupted": {
      const open = view.calls.filter(({ state }) => state !== "writing")
      return {
        ...add(view, ...musing(view), ...Draft.rest(view.answer).map(answered), ...(open.length === 0 ? [interruption] : [])),
        calls: open,
        stopping: open.length > 0,
        answer: Draft.empty,
        thought: still,
        pause: undefined,
        working: false
      }
    }
    case "TaskFinished": {
      return {
        ...(event.result === "" || event.result === view.said ? {} : add(view, { _tag: "End", text: text(event.result), tone: "good" })),
        calls: [],
        working: status.queued > 0,
        status: { ...status, queued: 0 }
      }
    }
    case "TaskFailed": {
      const last = view.blocks.at(-1)
      const message = text(event.message)
      const left = last?._tag === "Note" && message.startsWith(last.text) ? message.slice(last.text.length).trim() as Shown : message
      return { ...(left === "" ? {} : add(view, { _tag: "End", text: left, tone: "bad" })), calls: [], pause: undefined, working: false }
    }
    default:
      return undefined
  }
}

const interruption: Block = { _tag: "End", text: text("Interrupted."), tone: "warn" }

/** A line of ours between the others. */
export const noted = (view: View, words: string, tone: Tone): View => ({ ...view, ...add(view, { _tag: "Note", text: text(words), tone }) })

/** The blocks with more of them: the list is the view's own, and grows in place. */
export const add = (view: View, ...blocks: ReadonlyArray<Block>): Pick<View, "blocks"> => {
  ;(view.blocks as Array<Block>).push(...blocks)
  return { blocks: view.blocks }
}

/** What an attempt cost that came to nothing. */
const paid = (status: Status, spent: Usage.Spent | undefined): Status =>
  spent === undefined ? status : { ...status, cost: status.cost + (spent.cost ?? 0), estimated: true }

/** A model that nobody described works by careful guesses, which are worth knowing. */
const guessed = (view: View, { assumed, id, maxOutput, window }: Model.Model): Pick<View, "blocks"> =>
  add(view, ...(assumed !== true ? [] : fresh(view, [
    `The catalogue does not know ${id}: a window of ${window} and answers of ${maxOutput} tokens are assumed, text only, tools as XML, no price.`
  ])))

/** Files that the model is shown though nobody asked for them: they cost tokens. */
const goAlong = (files: ReadonlyArray<Included>): Block =>
  ({ _tag: "Note", text: text(`Shown to the model too: ${files.map(({ path }) => path).join(", ")}`), tone: "info" })

/** Notes that are not there yet. */
const fresh = ({ blocks }: View, words: ReadonlyArray<string>): ReadonlyArray<Block> =>
  words.map(text).filter((note) => !blocks.some((block) => block._tag === "Note" && block.text === note)).map((text): Block => ({ _tag: "Note", text, tone: "info" }))

const put = (calls: ReadonlyArray<Call>, id: string, changes: Partial<Call>): ReadonlyArray<Call> =>
  calls.some((call) => call.id === id)
    ? calls.map((call) => call.id === id ? { ...call, ...changes } : call)
    : [...calls, { id, what: text(id), kind: "read", state: "waiting", output: still, ...changes }]

const answered = (piece: Draft.Piece): Block => ({ _tag: "Answer", ...piece })

const thought = (part: Content): ReadonlyArray<Block> => part._tag === "Reasoning" ? thoughts(text(part.text)) : []

/** What was thought and is not printed yet. */
const musing = ({ thought }: View): ReadonlyArray<Block> => thought === still ? [] : thoughts(thought.shown)

const thoughts = (words: Shown): ReadonlyArray<Block> => words.trim() === "" ? [] : [{ _tag: "Thought", text: words.trim() as Shown }]
