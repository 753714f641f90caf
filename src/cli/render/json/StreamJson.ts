/**
 * JSON output in the format of Claude Code's `stream-json`: one object per line, an init, the messages, and exactly one result.
 * `--output-format json` is the result alone.
 */
import * as SafeText from "../../../domain/message/SafeText.ts"
import * as Message from "../../../domain/message/Message.ts"
import type { Content } from "../../../domain/message/Message.ts"
import * as Model from "../../../domain/provider/Model.ts"
import type { Redact } from "../../../domain/secret/Redactor.ts"
import type { Parts } from "../../../domain/ErrorReport.ts"
import type { SessionEvent } from "../../../domain/session/SessionEvent.ts"
import type * as Usage from "../../../domain/session/Usage.ts"
import type { Ending } from "../../process/ExitCode.ts"
import * as LineBound from "./LineBound.ts"
import * as MessageId from "./MessageId.ts"
import type * as StreamJsonSchema from "./StreamJsonSchema.ts"
import * as Report from "./RunSummary.ts"
import * as ToolNames from "../../../domain/tool/ToolNames.ts"
import type { HiddenEvent } from "../view/HiddenEvent.ts"

/** The data of the first line. */
export interface Init {
  readonly session: string
  readonly uuid: string
  /** ISO 8601. */
  readonly timestamp: string
  readonly cwd: string
  readonly model: string
  readonly mode: StreamJsonSchema.Init["permissionMode"]
  readonly tools: ReadonlyArray<string>
  /** The configured MCP servers; none of them has started yet. */
  readonly servers: StreamJsonSchema.Init["mcp_servers"]
  readonly keySource: string
  readonly commands: ReadonlyArray<string>
  readonly agents: ReadonlyArray<string>
  readonly skills: ReadonlyArray<string>
  readonly plugins: StreamJsonSchema.Init["plugins"]
  readonly version: string
}

/** An object as one line of JSON, with terminal control and invisible characters escaped. */
export const line = (value: object): string => `${SafeText.escapeJson(JSON.stringify(value))}\n`

/** A line of the published schema, with secrets redacted in every text and its data within a bound. */
export const redactedLine = (value: StreamJsonSchema.Line, redact: Redact): string =>
  `${SafeText.escapeJson(LineBound.json(value, (_, part) => typeof part === "string" ? redact(part) : part))}\n`

export const init = (
  { agents, commands, cwd, keySource, mode, model, plugins, servers, session, skills, timestamp, tools, uuid, version }: Init
): StreamJsonSchema.Init => ({
  type: "system",
  subtype: "init",
  session_id: session,
  uuid,
  timestamp,
  cwd,
  model,
  permissionMode: mode,
  tools,
  mcp_servers: servers,
  apiKeySource: keySource,
  slash_commands: commands,
  agents,
  skills,
  plugins,
  output_style: "default",
  claude_code_version: version
})

/** Events without a line of their own. A new event must be listed here or written. */
type IgnoredEvent =
  | HiddenEvent
  | "SessionStarted"
  | "SessionNamed"
  | "UserSaid"
  | "Resumed"
  | "ModeSwitched"
  | "ModelSwitched"
  | "ToolsChanged"
  | "ContextPlanned"
  | "ContextCompacted"
  | "ModelRequested"
  | "ModelFailed"
  | "ToolProposed"
  | "ApprovalAsked"
  | "ApprovalDecided"
  | "CheckpointsOff"
  | "ToolStarted"
  | "TodoUpdated"
  | "Reminded"
  | "Interrupted"
  | "Rewound"
  | "TaskFinished"
  | "TaskFailed"

/**
 * The message for an event; undefined for events that the format does not represent. `subagent` is the subagent that the event
 * comes from: its ids are made unique. `names` are the names of tools.
 */
export const message = (
  session: string,
  model: string,
  { event, hash, seq, time }: SessionEvent,
  { names = ToolNames.dacapo, subagent }: { readonly subagent?: Subagent | undefined; readonly names?: ToolNames.ToolNames } = {}
): StreamJsonSchema.Message | undefined => {
  const head = { session_id: session, uuid: MessageId.ofHash(hash) }
  const timestamp = new Date(time).toISOString()
  switch (event._tag) {
    case "ModelResponded":
      return {
        type: "assistant",
        ...head,
        timestamp,
        parent_tool_use_id: subagent?.call ?? null,
        message: {
          id: `msg_${uniqueId(subagent, `${seq}`)}`,
          type: "message",
          role: "assistant",
          model,
          content: event.content.flatMap((part) => block(part, subagent, names)),
          stop_reason: stopReason(event.stop),
          usage: usage(event.usage)
        }
      }
    case "ToolFinished":
      return {
        type: "user",
        ...head,
        timestamp,
        parent_tool_use_id: subagent?.call ?? null,
        message: {
          role: "user",
          content: [{
            type: "tool_result",
            tool_use_id: uniqueId(subagent, event.call),
            content: Message.text(event.outcome.content),
            is_error: event.outcome.status !== "succeeded"
          }]
        },
        ...(event.outcome.view === undefined ? {} : { tool_use_result: { view: event.outcome.view } })
      }
    case "FallbackTaken":
      return { type: "system", subtype: "model_fallback", ...head, model: Model.title(event.model), error: event.why }
    case "ModelWaiting":
      return { type: "system", subtype: "api_wait", ...head, delay_ms: event.delayMs, error: event.message }
    case "ModelRetrying":
      return {
        type: "system",
        subtype: "api_retry",
        ...head,
        attempt: event.attempt,
        delay_ms: event.delayMs,
        error: event.message
      }
    case "BudgetSettled":
      return event.warning === undefined ? undefined : {
        type: "system",
        subtype: "budget_warning",
        ...head,
        percent: event.warning
      }
    case "BudgetExhausted":
      return {
        type: "system",
        subtype: "budget_exhausted",
        ...head,
        level: event.level,
        unit: event.unit,
        limit: event.limit,
        left: event.left,
        needs: event.needs
      }
    default:
      event._tag satisfies IgnoredEvent
      return undefined
  }
}

/** A subagent's session, and the call that started it. */
export interface Subagent {
  readonly session: string
  readonly call: string
}

/** An id that is unique among the sessions of the stream. */
const uniqueId = (subagent: Subagent | undefined, id: string): string => subagent === undefined ? id : `${subagent.session}_${id}`

const block = (
  part: Content,
  subagent: Subagent | undefined,
  names: ToolNames.ToolNames
): ReadonlyArray<StreamJsonSchema.Block> => {
  switch (part._tag) {
    case "Text":
      return [{ type: "text", text: part.text }]
    case "Reasoning":
      return part.text === "" ? [] : [{ type: "thinking", thinking: part.text, signature: part.signature ?? "" }]
    case "ToolCall":
      return [{ type: "tool_use", id: uniqueId(subagent, part.id), ...names.call(part.name, part.params) }]
    default:
      return []
  }
}

/** Stop reasons under the names of the format; others keep their own. */
const stops: Readonly<Record<string, string>> = { stop: "end_turn", length: "max_tokens", tool_calls: "tool_use" }
export const stopReason = (stop: string): string => stops[stop] ?? stop

export const usage = (tokens: Usage.TokenUsage): StreamJsonSchema.Result["usage"] => ({
  input_tokens: tokens.input,
  cache_creation_input_tokens: tokens.cacheWrite,
  cache_read_input_tokens: tokens.cacheRead,
  output_tokens: tokens.output,
  ...(tokens.estimated === true ? { estimated: true } : {})
})

/** The result; after a failed run its text is the error message. */
export const result = (
  report: Report.RunSummary,
  ending: Ending,
  durationMs: number,
  names: ToolNames.ToolNames = ToolNames.dacapo,
  error?: Parts
): StreamJsonSchema.Result => {
  const total = Report.total(report)
  const isFailure = ending.exit !== 0
  return {
    type: "result",
    subtype: ending.subtype,
    is_error: isFailure,
    result: report.result,
    ...(ending.subtype === "success" ? {} : { errors: isFailure ? [report.result] : [] }),
    ...(isFailure && error !== undefined ? { error } : {}),
    ...(ending.reason === undefined ? {} : { reason: ending.reason }),
    exit_code: ending.exit,
    session_id: report.session,
    ...(report.lastHash === "" ? {} : { uuid: MessageId.ofHash(report.lastHash) }),
    num_turns: report.turns,
    duration_ms: Math.round(durationMs),
    duration_api_ms: Math.round(report.apiMs),
    total_cost_usd: total.cost + report.subagentsUsd,
    usage: usage(total.usage),
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
    permission_denials: report.denials.map(({ id, name, params }) => {
      const call = names.call(name, params)
      return { tool_name: call.name, tool_use_id: id, tool_input: call.input }
    }),
    structured_output: report.structured ?? null,
    stop_reason: report.stopReason === null ? null : stopReason(report.stopReason)
  }
}
