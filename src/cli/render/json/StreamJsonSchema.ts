/**
 * Schemas of the output and input lines of `stream-json`. The package publishes them as JSON Schema (`dacapo/schemas/…`). Consumers
 * must accept unknown fields.
 */
import * as Schema from "effect/Schema"
import { Mode } from "../../../domain/approval/Mode.ts"
import { SessionEvent } from "../../../domain/session/SessionEvent.ts"
import { SettingsFile } from "../../../domain/config/Settings.ts"
import { ResultView } from "../../../domain/tool/ResultView.ts"
import * as ControlSchema from "./ControlSchema.ts"

/** `uuid` names the event of the line (MessageId); `timestamp` is its time (ISO 8601). */
const session = {
  session_id: Schema.String,
  uuid: Schema.optionalKey(Schema.String),
  timestamp: Schema.optionalKey(Schema.String)
}

/** Token counts; `estimated`: some are estimates, because the provider reported none. */
const Usage = Schema.Struct({
  input_tokens: Schema.Finite,
  cache_creation_input_tokens: Schema.Finite,
  cache_read_input_tokens: Schema.Finite,
  output_tokens: Schema.Finite,
  estimated: Schema.optionalKey(Schema.Literal(true))
}).annotate({ identifier: "Usage" })

/** The first line. */
export const Init = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("init"),
  ...session,
  cwd: Schema.String,
  model: Schema.String,
  permissionMode: Mode,
  tools: Schema.Array(Schema.String),
  mcp_servers: Schema.Array(Schema.Struct({ name: Schema.String, status: Schema.String })),
  /** The variable that holds the key in use, or "none". */
  apiKeySource: Schema.String,
  slash_commands: Schema.Array(Schema.String),
  agents: Schema.Array(Schema.String),
  skills: Schema.Array(Schema.String),
  /** `path`: the plugin's folder, absolute. */
  plugins: Schema.Array(Schema.Struct({ name: Schema.String, path: Schema.String })),
  output_style: Schema.String,
  /** The version of dacapo, under the name that programs read. */
  claude_code_version: Schema.String
}).annotate({ identifier: "Init" })
export type Init = typeof Init.Type

/** Notices about requests: retries, waits, fallbacks and budgets. */
const Notices = [
  Schema.Struct({
    type: Schema.Literal("system"),
    subtype: Schema.Literal("api_retry"),
    ...session,
    attempt: Schema.Int,
    delay_ms: Schema.Finite,
    error: Schema.String
  }),
  Schema.Struct({
    type: Schema.Literal("system"),
    subtype: Schema.Literal("api_wait"),
    ...session,
    delay_ms: Schema.Finite,
    error: Schema.String
  }),
  Schema.Struct({
    type: Schema.Literal("system"),
    subtype: Schema.Literal("model_fallback"),
    ...session,
    model: Schema.String,
    error: Schema.String
  }),
  Schema.Struct({ type: Schema.Literal("system"), subtype: Schema.Literal("budget_warning"), ...session, percent: Schema.Int }),
  Schema.Struct({
    type: Schema.Literal("system"),
    subtype: Schema.Literal("budget_exhausted"),
    ...session,
    level: Schema.String,
    unit: Schema.String,
    limit: Schema.Finite,
    left: Schema.Finite,
    needs: Schema.Finite
  })
] as const

const Block = Schema.Union([
  Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }),
  Schema.Struct({ type: Schema.Literal("thinking"), thinking: Schema.String, signature: Schema.String }),
  Schema.Struct({ type: Schema.Literal("tool_use"), id: Schema.String, name: Schema.String, input: Schema.Json })
]).annotate({ identifier: "Block" })
export type Block = typeof Block.Type

/** One complete response of the model. */
const Assistant = Schema.Struct({
  type: Schema.Literal("assistant"),
  ...session,
  parent_tool_use_id: Schema.NullOr(Schema.String),
  message: Schema.Struct({
    id: Schema.String,
    type: Schema.Literal("message"),
    role: Schema.Literal("assistant"),
    model: Schema.String,
    content: Schema.Array(Block),
    stop_reason: Schema.String,
    usage: Usage
  })
}).annotate({ identifier: "Assistant" })

/** A message of the user, sent back (`--replay-user-messages`). */
const Echo = Schema.Struct({
  type: Schema.Literal("user"),
  ...session,
  parent_tool_use_id: Schema.Null,
  isReplay: Schema.Literal(true),
  message: Schema.Struct({ role: Schema.Literal("user"), content: Schema.Json })
}).annotate({ identifier: "Echo" })

/** The result of a tool call; `view` shows it as data (docs/custom-tools.md). */
const ToolResult = Schema.Struct({
  type: Schema.Literal("user"),
  ...session,
  parent_tool_use_id: Schema.NullOr(Schema.String),
  message: Schema.Struct({
    role: Schema.Literal("user"),
    content: Schema.Array(Schema.Struct({
      type: Schema.Literal("tool_result"),
      tool_use_id: Schema.String,
      content: Schema.String,
      is_error: Schema.Boolean
    }))
  }),
  tool_use_result: Schema.optionalKey(Schema.Struct({ view: ResultView }))
}).annotate({ identifier: "ToolResult" })

/**
 * Progress of running work, when subagents are used. `id` identifies it and `parent` the work it belongs to; `done` of `total` parts
 * have ended; `ms` is the time taken so far, `left_ms` an estimate of the time left.
 */
const Moment = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("progress"),
  ...session,
  state: Schema.Literals(["started", "updated", "ended", "failed"]),
  kind: Schema.String,
  name: Schema.String,
  id: Schema.String,
  parent: Schema.NullOr(Schema.String),
  total: Schema.optionalKey(Schema.Int),
  done: Schema.optionalKey(Schema.Int),
  note: Schema.optionalKey(Schema.String),
  ms: Schema.Finite,
  left_ms: Schema.optionalKey(Schema.Finite),
  running: Schema.Int
}).annotate({ identifier: "Progress" })
export type Moment = typeof Moment.Type

/** The totals; `by` has a row for each name. */
const Summary = Schema.Struct({
  type: Schema.Literal("system"),
  subtype: Schema.Literal("progress_summary"),
  ...session,
  ended: Schema.Int,
  failed: Schema.Int,
  ms: Schema.Finite,
  per_second: Schema.Finite,
  by: Schema.Array(
    Schema.Struct({ name: Schema.String, kind: Schema.String, count: Schema.Int, failed: Schema.Int, mean_ms: Schema.Finite })
  )
}).annotate({ identifier: "ProgressSummary" })
export type Summary = typeof Summary.Type

/** A line between the first and the last. */
export const Message = Schema.Union([Assistant, ToolResult, Echo, ...Notices, Moment, Summary, ...ControlSchema.outputs])
export type Message = typeof Message.Type

export const Subtype = Schema.Literals([
  "success",
  "error_during_execution",
  "error_max_turns",
  "error_max_budget_usd",
  "error_max_structured_output_retries"
])
export type Subtype = typeof Subtype.Type

/**
 * The last line: the result of the run; with streaming input, the result of each task. `is_error` is true exactly if `exit_code` is
 * not 0; a task that the program itself interrupted is no error.
 */
export const Result = Schema.Struct({
  type: Schema.Literal("result"),
  subtype: Subtype,
  is_error: Schema.Boolean,
  result: Schema.String,
  errors: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The error in parts: what it is about, why it happened, what to do next. */
  error: Schema.optionalKey(Schema.Struct({ headline: Schema.String, cause: Schema.String, next: Schema.String })),
  reason: Schema.optionalKey(Schema.String),
  exit_code: Schema.Int,
  ...session,
  num_turns: Schema.Int,
  duration_ms: Schema.Finite,
  duration_api_ms: Schema.Finite,
  total_cost_usd: Schema.Finite,
  usage: Usage,
  modelUsage: Schema.Record(
    Schema.String,
    Schema.Struct({
      inputTokens: Schema.Finite,
      outputTokens: Schema.Finite,
      cacheReadInputTokens: Schema.Finite,
      cacheCreationInputTokens: Schema.Finite,
      costUSD: Schema.Finite,
      estimated: Schema.optionalKey(Schema.Literal(true))
    })
  ),
  permission_denials: Schema.Array(Schema.Struct({ tool_name: Schema.String, tool_use_id: Schema.String, tool_input: Schema.Json })),
  structured_output: Schema.Json,
  stop_reason: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Result" })
export type Result = typeof Result.Type

/** Any line of `stream-json`. */
export const Line = Schema.Union([Init, ...Message.members, Result]).annotate({ identifier: "Line" })
export type Line = typeof Line.Type

/**
 * A message of the user on standard input: a text, or texts and images. `delivery` or `priority` (`now` steers) says where it goes;
 * without them it waits for the end of the task.
 */
export const UserInput = Schema.Struct({
  type: Schema.Literal("user"),
  message: Schema.Struct({
    role: Schema.Literal("user"),
    content: Schema.Union([
      Schema.String,
      Schema.Array(Schema.Union([
        Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }),
        Schema.Struct({
          type: Schema.Literal("image"),
          source: Schema.Struct({ type: Schema.Literal("base64"), media_type: Schema.String, data: Schema.String })
        })
      ]))
    ])
  }),
  delivery: Schema.optionalKey(Schema.Literals(["steer", "queue"])),
  priority: Schema.optionalKey(Schema.Literals(["now", "next", "later"])),
  uuid: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "UserInput" })
export type UserInput = typeof UserInput.Type

/** A line of standard input with `--input-format stream-json`. */
export const Input = Schema.Union([UserInput, ...ControlSchema.inputs]).annotate({ identifier: "Input" })
export type Input = typeof Input.Type

/** A schema as a JSON Schema document (draft 2020-12). */
const document = (schema: Schema.Constraint): object => {
  const { definitions, schema: root } = Schema.toJsonSchemaDocument(schema)
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    ...root,
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions })
  }
}

/** The JSON Schemas that the package publishes, by file name. */
export const jsonSchemas = (): Readonly<Record<string, object>> => ({
  config: document(SettingsFile),
  "control-request": document(ControlSchema.ProgramRequest),
  event: document(SessionEvent),
  input: document(Input),
  result: document(Result),
  "stream-json": document(Line)
})
