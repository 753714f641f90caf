/** An event of a session as an OpenTelemetry log record, in plain data: named after the event, within the span of its task. */
import type { Redact } from "../secret/Redactor.ts"
import type { SessionEvent, Settled } from "../session/SessionEvent.ts"
import type { Attributes } from "./Span.ts"
import type { TraceContext } from "./TraceContext.ts"

export interface LogRecord extends Partial<TraceContext> {
  /** `dacapo.tool_finished`. */
  readonly name: string
  readonly timeMs: number
  readonly severity: "INFO" | "WARN" | "ERROR"
  readonly attributes: Attributes
  /** The complete event as JSON, where content is exported. */
  readonly body?: string
}

const errors: ReadonlySet<Settled["_tag"]> = new Set(["ModelFailed", "TaskFailed"])
const warnings: ReadonlySet<Settled["_tag"]> = new Set(["FallbackTaken", "Interrupted", "ModelRetrying", "ModelWaiting", "Resumed"])

const severity = (event: Settled): LogRecord["severity"] =>
  errors.has(event._tag) || event._tag === "ToolFinished" && event.outcome.status === "failed" ? "ERROR"
    : warnings.has(event._tag) ? "WARN"
    : "INFO"

/** Without content it says which call and model, never what was said. */
const details = (event: Settled): Attributes => ({
  ...("call" in event ? { "gen_ai.tool.call.id": event.call } : {}),
  ...(event._tag === "ToolFinished" ? { "dacapo.tool.status": event.outcome.status } : {}),
  ...(event._tag === "ApprovalDecided" ? { "dacapo.approval.decision": event.decision } : {}),
  ...(event._tag === "TaskFailed" ? { "error.type": event.reason } : {}),
  ...(event._tag === "ModelFailed" || event._tag === "ModelRetrying" ? { "error.type": event.reason._tag } : {})
})

/** `span` is the task's; `content` removes secrets from what is exported of the event's own texts. */
export const of = (
  session: string,
  { event, seq, time }: SessionEvent,
  span: TraceContext | undefined,
  content: Redact | undefined
): LogRecord => ({
  name: `dacapo.${event._tag.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase()}`,
  timeMs: time,
  severity: severity(event),
  attributes: { "gen_ai.conversation.id": session, "dacapo.event.seq": seq, ...details(event) },
  ...(span === undefined ? {} : { traceId: span.traceId, spanId: span.spanId }),
  ...(content === undefined ? {} : { body: JSON.stringify(event, (_, part: unknown) => typeof part === "string" ? content(part) : part) })
})
