/**
 * The JSON faces, in the shape that consumers of other agents already read (Claude Code's `stream-json`): a line an
 * object, an init, the messages, and exactly one result. `--output-format json` is that result alone.
 */
import * as Message from "../../../domain/message/Message.ts"
import type { Content } from "../../../domain/message/Message.ts"
import * as Model from "../../../domain/provider/Model.ts"
import type { Redact } from "../../../domain/secret/Redactor.ts"
import type { SessionEvent } from "../../../domain/session/SessionEvent.ts"
import type * as Usage from "../../../domain/session/Usage.ts"
import type { Ending } from "../../process/ExitCode.ts"
import type * as Protocol from "./StreamJsonSchema.ts"
import * as Report from "./RunSummary.ts"

/** What the first line says. */
export interface Init {
  readonly session: string
  readonly cwd: string
  readonly model: string
  readonly mode: Protocol.Init["permissionMode"]
  readonly tools: ReadonlyArray<string>
  /** MCP servers that are set up; none of them has begun yet. */
  readonly servers: Protocol.Init["mcp_servers"]
}

/** JSON of one line: an object, then a newline. */
export const line = (value: object): string => `${JSON.stringify(value)}\n`

/** What a program is told of a run: a line of the published schema, without the secrets of any text in it. */
export const told = (value: Protocol.Line, redact: Redact): string =>
  `${JSON.stringify(value, (_, part: unknown) => typeof part === "string" ? redact(part) : part)}\n`

export const init = ({ cwd, mode, model, servers, session, tools }: Init): Protocol.Init => ({
  type: "system",
  subtype: "init",
  session_id: session,
  cwd,
  model,
  permissionMode: mode,
  tools,
  mcp_servers: servers
})

/**
 * The message that an event is to a consumer; undefined for what the shape has no word for. `child`: who said it, where that is
 * a child, and the call that gave it its work; its ids are of its own.
 */
export const message = (
  session: string,
  model: string,
  { event, seq }: SessionEvent,
  child?: Child
): Protocol.Message | undefined => {
  switch (event._tag) {
    case "ModelResponded":
      return {
        type: "assistant",
        session_id: session,
        parent_tool_use_id: child?.call ?? null,
        message: {
          id: `msg_${own(child, `${seq}`)}`,
          type: "message",
          role: "assistant",
          model,
          content: event.content.flatMap((part) => block(part, child)),
          stop_reason: stopReason(event.stop),
          usage: usage(event.usage)
        }
      }
    case "ToolFinished":
      return {
        type: "user",
        session_id: session,
        parent_tool_use_id: child?.call ?? null,
        message: {
          role: "user",
          content: [{
            type: "tool_result",
            tool_use_id: own(child, event.call),
            content: Message.text(event.outcome.content),
            is_error: event.outcome.status !== "succeeded"
          }]
        }
      }
    case "FallbackTaken":
      return { type: "system", subtype: "model_fallback", session_id: session, model: Model.title(event.model), error: event.why }
    case "ModelWaiting":
      return { type: "system", subtype: "api_wait", session_id: session, delay_ms: event.delayMs, error: event.message }
    case "ModelRetrying":
      return {
        type: "system",
        subtype: "api_retry",
        session_id: session,
        attempt: event.attempt,
        delay_ms: event.delayMs,
        error: event.message
      }
    case "BudgetSettled":
      return event.warning === undefined ? undefined : {
        type: "system",
        subtype: "budget_warning",
        session_id: session,
        percent: event.warning
      }
    case "BudgetExhausted":
      return {
        type: "system",
        subtype: "budget_exhausted",
        session_id: session,
        level: event.level,
        unit: event.unit,
        limit: event.limit,
        left: event.left,
        needs: event.needs
      }
    default:
      return undefined
  }
}

/** A session that another one gave work to. */
export interface Child {
  readonly session: string
  readonly call: string
}

/** An id that no other session of the stream has. */
const own = (child: Child | undefined, id: string): string => child === undefined ? id : `${child.session}_${id}`

const block = (part: Content, child: Child | undefined): ReadonlyArray<Protocol.Block> => {
  switch (part._tag) {
    case "Text":
      return [{ type: "text", text: part.text }]
    case "Reasoning":
      return part.text === "" ? [] : [{ type: "thinking", thinking: part.text, signature: part.signature ?? "" }]
    case "ToolCall":
      return [{ type: "tool_use", id: own(child, part.id), name: part.name, input: part.params }]
    default:
      return []
  }
}

/** Stop reasons by the names of the shape; ours stand where it has none. */
const stops: Readonly<Record<string, string>> = { stop: "end_turn", length: "max_tokens", tool_calls: "tool_use" }
const stopReason = (stop: string): string => stops[stop] ?? stop

const usage = (used: Usage.TokenUsage): Protocol.Result["usage"] => ({
  input_tokens: used.input,
  cache_creation_input_tokens: used.cacheWrite,
  cache_read_input_tokens: used.cacheRead,
  output_tokens: used.output,
  ...(used.estimated === true ? { estimated: true } : {})
})

/** The one result; of a run that failed the report's own says what went wrong. */
export const result = (report: Report.Report, ending: Ending, durationMs: number): Protocol.Result => {
  const spent = Report.total(report)
  const failed = ending.exit !== 0
  return {
    type: "result",
    subtype: ending.subtype,
    is_error: failed,
    result: report.result,
    ...(failed ? { errors: [report.result] } : {}),
    ...(ending.reason === undefined ? {} : { reason: ending.reason }),
    exit_code: ending.exit,
    session_id: report.session,
    num_turns: report.turns,
    duration_ms: Math.round(durationMs),
    duration_api_ms: Math.round(report.apiMs),
    total_cost_usd: spent.cost + report.children,
    usage: usage(spent.usage),
    modelUsage: Object.fromEntries(
      Object.entries(report.models).map(([model, { cost, usage }]) => [model, {
        inputTokens: usage.input,
        outputTokens: usage.output,
        cacheReadInputTokens: usage.cacheRead,
        cacheCreationInputTokens: usage.cacheWrite,
        costUSD: cost,
        ...(usage.estimated === true ? { estimated: true } : {})
      }])
    ),
    permission_denials: report.denials.map(({ id, name, params }) => ({ tool_name: name, tool_use_id: id, tool_input: params })),
    structured_output: report.structured ?? null,
    stop_reason: report.stop === null ? null : stopReason(report.stop)
  }
}
