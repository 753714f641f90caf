/** The summary of a run, as a fold over its settled events: results, usage reports and exit codes use it. */
import type { ToolCall } from "../../../domain/message/Message.ts"
import * as Model from "../../../domain/provider/Model.ts"
import type { SessionEvent, SessionSettings, Settled } from "../../../domain/session/SessionEvent.ts"
import type * as Schema from "effect/Schema"
import * as Usage from "../../../domain/session/Usage.ts"
import type { HiddenEvent } from "../view/HiddenEvent.ts"

/** The usage of one model; `cost` in USD. */
export interface ModelCost {
  readonly usage: Usage.TokenUsage
  readonly cost: number
}

/** Covers this run only: a resumed session starts at zero. */
export interface RunSummary {
  readonly session: string
  readonly model: string
  readonly turns: number
  readonly models: Readonly<Record<string, ModelCost>>
  /** The cost of subagents in USD. */
  readonly subagentsUsd: number
  readonly denials: ReadonlyArray<ToolCall>
  /** The calls of the last response. */
  readonly calls: ReadonlyArray<ToolCall>
  /** The stop reason of the last response. */
  readonly stopReason: string | null
  /** The total time from requests to responses. */
  readonly apiMs: number
  readonly requestedAtMs: number
  /** The last response's text, the result of the task, or the error message. */
  readonly result: string
  /** The result as JSON, with an output schema. */
  readonly structured?: Schema.Json
  /** The reason of the last provider error. */
  readonly providerFailure: string | undefined
  /** The hash of the last event. */
  readonly lastHash: string
  readonly outcome: "no" | "finished" | Extract<Settled, { readonly _tag: "TaskFailed" }>["reason"]
}

export const initial: RunSummary = {
  session: "",
  model: "",
  turns: 0,
  models: {},
  subagentsUsd: 0,
  denials: [],
  calls: [],
  stopReason: null,
  apiMs: 0,
  requestedAtMs: 0,
  result: "",
  providerFailure: undefined,
  lastHash: "",
  outcome: "no"
}

/** The summary at the start of the next task of the same run: what is counted by task starts again, what is paid adds up. */
export const nextTask = ({ lastHash, model, models, session, subagentsUsd }: RunSummary): RunSummary => ({
  ...initial,
  session,
  model,
  models,
  subagentsUsd,
  lastHash
})

/** The summary of a run that starts with these settings. */
export const of = (session: string, settings: SessionSettings): RunSummary => ({
  ...initial,
  session,
  model: Model.title(settings.model)
})

/** Events that do not change the summary. A new event must be listed here or counted. */
type IgnoredEvent =
  | HiddenEvent
  | "SessionStarted"
  | "SessionNamed"
  | "Resumed"
  | "ModeSwitched"
  | "ToolsChanged"
  | "ContextPlanned"
  | "ContextCompacted"
  | "FallbackTaken"
  | "ModelWaiting"
  | "ToolProposed"
  | "ApprovalAsked"
  | "ApprovalDecided"
  | "CheckpointsOff"
  | "ToolStarted"
  | "TodoUpdated"
  | "Reminded"
  | "BudgetExhausted"
  | "Interrupted"
  | "Rewound"

export const update = (report: RunSummary, entry: SessionEvent): RunSummary => ({ ...counted(report, entry), lastHash: entry.hash })

const counted = (report: RunSummary, { event, time }: SessionEvent): RunSummary => {
  switch (event._tag) {
    case "UserSaid":
      return { ...report, outcome: "no" }
    case "ModelSwitched":
      return { ...report, model: Model.title(event.model) }
    case "ModelRequested":
      return { ...report, model: event.model, requestedAtMs: time }
    case "ModelRetrying":
      return spend(report, event.spent)
    case "ModelResponded":
      return {
        ...spend(report, event),
        turns: report.turns + 1,
        calls: event.content.filter((part) => part._tag === "ToolCall"),
        stopReason: event.stop,
        apiMs: report.apiMs + Math.max(0, time - report.requestedAtMs),
        result: event.content.flatMap((part) => part._tag === "Text" ? [part.text] : []).join("\n"),
        providerFailure: undefined
      }
    case "ModelFailed":
      return { ...spend(report, event.spent), providerFailure: event.reason._tag }
    case "BudgetSettled":
      return event.child === undefined ? report : { ...report, subagentsUsd: report.subagentsUsd + event.usd }
    case "ToolFinished":
      return event.outcome.status === "denied"
        ? { ...report, denials: [...report.denials, ...report.calls.filter(({ id }) => id === event.call)] }
        : report
    case "TaskFinished":
      return { ...report, outcome: "finished", result: event.result }
    case "TaskFailed":
      return { ...report, outcome: event.reason, result: event.message }
    default:
      event._tag satisfies IgnoredEvent
      return report
  }
}

/** Adds usage of the current model. */
const spend = (report: RunSummary, cost: Usage.Spending | undefined): RunSummary => {
  if (cost === undefined) return report
  const previous = report.models[report.model] ?? { usage: Usage.zero, cost: 0 }
  const current = { usage: Usage.add(previous.usage, cost.usage), cost: previous.cost + (cost.cost ?? 0) }
  return { ...report, models: { ...report.models, [report.model]: current } }
}

/** All models together. */
export const total = ({ models }: RunSummary): ModelCost =>
  Object.values(models).reduce(
    (sum, { cost, usage }) => ({ usage: Usage.add(sum.usage, usage), cost: sum.cost + cost }),
    { usage: Usage.zero, cost: 0 }
  )
