/** What a run came to, as a fold over its settled events: results, usage screens and exit codes read it. */
import type { ToolCall } from "../../../domain/message/Message.ts"
import * as Model from "../../../domain/provider/Model.ts"
import type { SessionEvent, SessionSettings, Settled } from "../../../domain/session/SessionEvent.ts"
import type * as Schema from "effect/Schema"
import * as Usage from "../../../domain/session/Usage.ts"

/** What one model used; `cost` in USD. */
export interface Spent {
  readonly usage: Usage.TokenUsage
  readonly cost: number
}

/** Only what happened in this run: a resumed session starts at zero. */
export interface Report {
  readonly session: string
  readonly model: string
  readonly turns: number
  readonly models: Readonly<Record<string, Spent>>
  /** USD that sessions which this one started have cost. */
  readonly children: number
  readonly denials: ReadonlyArray<ToolCall>
  /** The calls of the last response. */
  readonly calls: ReadonlyArray<ToolCall>
  /** Why the last response ended. */
  readonly stop: string | null
  /** ms of answers, from request to response. */
  readonly apiMs: number
  readonly requestedAt: number
  /** The last answer's text, the result of the task, or what went wrong. */
  readonly result: string
  /** The result as JSON, where a schema was given. */
  readonly structured?: Schema.Json
  /** How the provider last failed. */
  readonly provider: string | undefined
  readonly ended: "no" | "finished" | Extract<Settled, { readonly _tag: "TaskFailed" }>["reason"]
}

export const initial: Report = {
  session: "",
  model: "",
  turns: 0,
  models: {},
  children: 0,
  denials: [],
  calls: [],
  stop: null,
  apiMs: 0,
  requestedAt: 0,
  result: "",
  provider: undefined,
  ended: "no"
}

/** A run of this session, under these settings. */
export const of = (session: string, settings: SessionSettings): Report => ({
  ...initial,
  session,
  model: Model.title(settings.model)
})

export const update = (report: Report, { event, time }: SessionEvent): Report => {
  switch (event._tag) {
    case "UserSaid":
      return { ...report, ended: "no" }
    case "ModelSwitched":
      return { ...report, model: Model.title(event.model) }
    case "ModelRequested":
      return { ...report, model: event.model, requestedAt: time }
    case "ModelRetrying":
      return spend(report, event.spent)
    case "ModelResponded":
      return {
        ...spend(report, event),
        turns: report.turns + 1,
        calls: event.content.filter((part) => part._tag === "ToolCall"),
        stop: event.stop,
        apiMs: report.apiMs + Math.max(0, time - report.requestedAt),
        result: event.content.flatMap((part) => part._tag === "Text" ? [part.text] : []).join("\n"),
        provider: undefined
      }
    case "ModelFailed":
      return { ...spend(report, event.spent), provider: event.reason._tag }
    case "BudgetSettled":
      return event.child === undefined ? report : { ...report, children: report.children + event.usd }
    case "ToolFinished":
      return event.outcome.status === "denied"
        ? { ...report, denials: [...report.denials, ...report.calls.filter(({ id }) => id === event.call)] }
        : report
    case "TaskFinished":
      return { ...report, ended: "finished", result: event.result }
    case "TaskFailed":
      return { ...report, ended: event.reason, result: event.message }
    default:
      return report
  }
}

/** Adds what the model at work used. */
const spend = (report: Report, spent: Usage.Spent | undefined): Report => {
  if (spent === undefined) return report
  const before = report.models[report.model] ?? { usage: Usage.none, cost: 0 }
  const now = { usage: Usage.add(before.usage, spent.usage), cost: before.cost + (spent.cost ?? 0) }
  return { ...report, models: { ...report.models, [report.model]: now } }
}

/** All models together. */
export const total = ({ models }: Report): Spent =>
  Object.values(models).reduce(
    (sum, { cost, usage }) => ({ usage: Usage.add(sum.usage, usage), cost: sum.cost + cost }),
    { usage: Usage.none, cost: 0 }
  )
