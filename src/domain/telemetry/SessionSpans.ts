/**
 * A session's log as spans, by the OpenTelemetry semantic conventions for generative AI, v0.1.0: `invoke_agent` for each task, in it
 * `chat {model}` for each request and `execute_tool {name}` for each call. A pure fold that emits a span when it ends, so that
 * spans exported while a session runs are the ones that its log gives afterwards.
 */
import type { TimedChunk } from "../message/Chunk.ts"
import type { BlobHash, Content, ToolCall } from "../message/Message.ts"
import * as Message from "../message/Message.ts"
import { optional } from "../Optional.ts"
import type { Redact } from "../secret/Redactor.ts"
import type { SessionEvent, Settled } from "../session/SessionEvent.ts"
import * as Usage from "../session/Usage.ts"
import * as Attribute from "./Attribute.ts"
import type { Attributes, OpenSpan, Span } from "./Span.ts"
import * as TraceContext from "./TraceContext.ts"

/**
 * `parent`: the span that the session's tasks belong to. `content`: prompts, responses, arguments and results become attributes, each
 * text as this function returns it; by default they are left out.
 */
export interface Options {
  readonly parent?: TraceContext.TraceContext
  readonly content?: Redact
}

export interface State {
  readonly options: Options
  readonly session: string
  readonly agent: string
  readonly model: string
  /** Spans in progress: `task`, `request`, `summary`, and by call `tool …` and `synthesis …`. */
  readonly open: ReadonlyMap<string, OpenSpan>
  /** The calls of the last response, by id. */
  readonly calls: ReadonlyMap<string, ToolCall>
  /** Whether a message waits to become the next task. */
  readonly isQueued: boolean
  /** What the task has used. */
  readonly spent: ReadonlyArray<Usage.Spending>
  readonly retries: number
  /** The task is over, but not everything in it has ended: it ends with the last of it. */
  readonly ending?: Attributes
  /** The span that each subagent's session belongs to. */
  readonly subagents: ReadonlyMap<string, TraceContext.TraceContext>
}

export const initial = (options: Options): State => ({
  options,
  session: "",
  agent: "",
  model: "",
  open: new Map(),
  calls: new Map(),
  isQueued: false,
  spent: [],
  retries: 0,
  subagents: new Map()
})

/** The recording that belongs to an event, if it has one. */
export const recordingOf = (event: Settled): BlobHash | undefined => "recording" in event ? event.recording : undefined

type Recording = ReadonlyArray<TimedChunk>
type Step = readonly [State, ReadonlyArray<Span>]

/** The state after one more event, and the spans that it ended; `recording` is the one that the event names. */
export const push = (state: State, at: SessionEvent, recording: Recording = []): Step => {
  const [next, spans] = step(state, at, recording)
  if (next.ending === undefined || next.open.size > 1) return [next, spans]
  const [idle, last] = endTask(next, at, next.ending)
  return [idle, [...spans, ...last]]
}

const step = (state: State, at: SessionEvent, recording: Recording): Step => {
  const { event } = at
  switch (event._tag) {
    case "SessionStarted":
      // A fork's log begins with the events of its origin, whose spans are the origin's.
      return [{
        ...initial(state.options),
        session: event.id,
        agent: event.settings.agent ?? "dacapo",
        model: modelName(event.settings.model)
      }, []]
    case "UserSaid": {
      if (state.open.has("task") && state.ending === undefined)
        return [{ ...state, isQueued: state.isQueued || event.delivery === "queue" }, []]
      const [idle, spans] = endTask(state, at, state.ending ?? {})
      return [startTask(idle, at, content(state, "gen_ai.input.messages", [message("user", [{ _tag: "Text", text: event.text }])])), spans]
    }
    case "Resumed": {
      const resumed = { ...state, agent: event.settings.agent ?? "dacapo", model: modelName(event.settings.model) }
      if (!event.goOn) return [{ ...resumed, ending: { "error.type": "crashed" } }, []]
      return [state.open.has("task") ? note(resumed, "task", at, "dacapo.resume", {}) : startTask(resumed, at), []]
    }
    case "ModelSwitched":
    case "FallbackTaken":
      return [
        note(
          { ...state, model: modelName(event.model) },
          "task",
          at,
          event._tag === "FallbackTaken" ? "dacapo.fallback" : "dacapo.model_switch",
          {
            "gen_ai.request.model": event.model.id
          }
        ),
        []
      ]
    case "ModelWaiting":
      return [note(state, "task", at, "dacapo.wait", { "dacapo.delay": event.delayMs / 1000 }), []]
    case "ModelRequested":
      return [startRequest({ ...state, retries: 0 }, "request", at, event, "task"), []]
    case "SummaryRequested":
      return [startRequest(state, "summary", at, event, "task", "summary"), []]
    case "SynthesisRequested":
      return [startRequest(state, `synthesis ${event.call}`, at, event, `tool ${event.call}`, "synthesis"), []]
    case "ModelRetrying":
      return [
        note({ ...spend(state, event.spent), retries: state.retries + 1 }, "request", at, "dacapo.retry", {
          "error.type": event.reason._tag,
          "dacapo.request.attempt": event.attempt,
          "dacapo.delay": event.delayMs / 1000,
          ...Attribute.cost(event.spent)
        }),
        []
      ]
    case "ModelResponded":
      return end(
        { ...spend(state, event), calls: new Map(event.content.flatMap((part) => part._tag === "ToolCall" ? [[part.id, part]] : [])) },
        "request",
        at.time,
        {
          ...Attribute.response(event, recording),
          "gen_ai.response.finish_reasons": [event.stop],
          ...retryCount(state),
          ...content(state, "gen_ai.output.messages", [{ ...message("assistant", event.content), finish_reason: event.stop }])
        }
      )
    case "ModelFailed":
      return end(spend(state, event.spent), "request", at.time, {
        ...(event.spent === undefined ? {} : Attribute.response(event.spent, recording)),
        ...optional({ "http.response.status_code": event.status }),
        ...retryCount(state),
        "error.type": event.reason._tag
      })
    case "ContextCompacted":
      return end(spend(state, event.spent), "summary", at.time, sideResult(event, recording))
    case "SynthesisEnded":
      return end(spend(state, event.spent), `synthesis ${event.call}`, at.time, sideResult(event, recording))
    case "ApprovalDecided": {
      const call = state.calls.get(event.call)
      return [
        call === undefined || event.params === undefined ? state : {
          ...state,
          calls: new Map(state.calls).set(event.call, { ...call, params: event.params })
        },
        []
      ]
    }
    case "ToolStarted":
      return [startTool(state, at, event.call), []]
    case "ToolFinished": {
      const key = `tool ${event.call}`
      const { content: result, status } = event.outcome
      // A call that was denied or closed without running is a span without length.
      return end(state.open.has(key) ? state : startTool(state, at, event.call), key, at.time, {
        "dacapo.tool.status": status,
        ...(status === "succeeded" ? {} : { "error.type": status }),
        ...content(state, "gen_ai.tool.call.result", Message.text(result))
      })
    }
    case "ChildStarted": {
      const parent = state.open.get(`tool ${event.call}`) ?? state.open.get("task")
      return [parent === undefined ? state : { ...state, subagents: new Map(state.subagents).set(event.session, parent) }, []]
    }
    case "Interrupted":
      return [{ ...state, ending: { "error.type": "interrupted" } }, []]
    case "TaskFinished": {
      const result = message("assistant", [{ _tag: "Text", text: event.result }])
      const [idle, spans] = endTask(state, at, content(state, "gen_ai.output.messages", [{ ...result, finish_reason: "stop" }]))
      return [state.isQueued ? startTask(idle, at) : idle, spans]
    }
    case "TaskFailed":
      return endTask(state, at, { "error.type": event.reason })
    default:
      return [state, []]
  }
}

/** The events that a log does not share with the session that it was forked from: the earlier spans are that one's. */
export const ownEvents = (events: ReadonlyArray<SessionEvent>): ReadonlyArray<SessionEvent> =>
  events.slice(Math.max(0, events.findLastIndex(({ event }) => event._tag === "SessionStarted")))

// Beginnings and ends.

/** Opens a span within another one, or within the task. */
const start = (
  state: State,
  key: string,
  { hash, time }: SessionEvent,
  within: string,
  span: Pick<OpenSpan, "attributes" | "kind" | "name">
): State => {
  const parent = state.open.get(within) ?? state.open.get("task") ?? state.options.parent
  return {
    ...state,
    open: new Map(state.open).set(key, {
      ...TraceContext.fromHash(hash, parent),
      ...optional({ parentSpanId: parent?.spanId }),
      ...span,
      attributes: { ...span.attributes, "gen_ai.conversation.id": state.session },
      startMs: time,
      events: []
    })
  }
}

const end = (state: State, key: string, endMs: number, attributes: Attributes): Step => {
  const span = state.open.get(key)
  if (span === undefined) return [state, []]
  const open = new Map(state.open)
  open.delete(key)
  return [{ ...state, open }, [{ ...span, endMs, attributes: { ...span.attributes, ...attributes } }]]
}

/** Adds an event to an open span. */
const note = (state: State, key: string, { time }: SessionEvent, name: string, attributes: Attributes): State => {
  const span = state.open.get(key)
  if (span === undefined) return state
  const events = [...span.events, { name, timeMs: time, attributes }]
  return { ...state, open: new Map(state.open).set(key, { ...span, events }) }
}

const startTask = (state: State, at: SessionEvent, attributes: Attributes = {}): State =>
  start({ ...state, isQueued: false, spent: [] }, "task", at, "", {
    name: `invoke_agent ${state.agent}`,
    kind: "internal",
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      ...Attribute.model(state.model),
      "gen_ai.agent.name": state.agent,
      ...attributes
    }
  })

const endTask = ({ ending: _, ...state }: State, { time }: SessionEvent, attributes: Attributes): Step =>
  end(state, "task", time, { ...Attribute.spent(state.spent), ...attributes })

const startRequest = (
  state: State,
  key: string,
  at: SessionEvent,
  { maxTokens, model }: { readonly maxTokens: number; readonly model: string },
  within: string,
  purpose?: string
): State => {
  const attributes = Attribute.model(model)
  return start(state, key, at, within, {
    name: `chat ${attributes["gen_ai.request.model"]}`,
    kind: "client",
    attributes: {
      "gen_ai.operation.name": "chat",
      ...attributes,
      "gen_ai.request.max_tokens": maxTokens,
      "gen_ai.request.stream": true,
      ...optional({ "dacapo.request.purpose": purpose })
    }
  })
}

const startTool = (state: State, at: SessionEvent, id: string): State => {
  const call = state.calls.get(id)
  const name = call?.name ?? "unknown"
  return start(state, `tool ${id}`, at, "task", {
    name: `execute_tool ${name}`,
    kind: "internal",
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "gen_ai.tool.call.id": id,
      "gen_ai.tool.type": "function",
      ...(call === undefined ? {} : content(state, "gen_ai.tool.call.arguments", call.params))
    }
  })
}

// Attributes that depend on the state.

const modelName = ({ id, provider }: { readonly id: string; readonly provider: string }): string => `${provider}/${id}`

const spend = (state: State, spent: Usage.Spending | undefined): State =>
  spent === undefined ? state : { ...state, spent: [...state.spent, { usage: spent.usage, cost: spent.cost }] }

const retryCount = ({ retries }: State): Attributes => retries === 0 ? {} : { "dacapo.request.retries": retries }

const sideResult = (event: { readonly failed?: string; readonly spent?: Usage.Spending }, recording: Recording): Attributes => ({
  ...(event.spent === undefined ? {} : Attribute.response(event.spent, recording)),
  ...(event.failed === undefined ? {} : { "error.type": "failed" })
})

/** Content as an attribute, if it is exported: text as it is, everything else as JSON. */
const content = ({ options: { content: redact } }: State, name: string, value: unknown): Attributes =>
  redact === undefined ? {} : {
    [name]: typeof value === "string" ? redact(value)
      : JSON.stringify(value, (_, part: unknown) => typeof part === "string" ? redact(part) : part)
  }

/** A message in the form that the conventions describe. */
const message = (role: "assistant" | "user", content: ReadonlyArray<Content>) => ({ role, parts: content.flatMap(Attribute.part) })
