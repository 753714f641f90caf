/**
 * Schemas of the control lines of `stream-json`, as programs of the Claude Agent SDK send and expect them: requests from both
 * sides, each with one response, and the pieces of a streaming response.
 */
import * as Schema from "effect/Schema"
import { Mode } from "../../../domain/approval/Mode.ts"
import { ProgramHooks } from "../../../domain/hook/Hook.ts"
import { Operation } from "../../../domain/control/Operation.ts"

/** Who approves is never left to a field that we do not know: requests are decoded by their subtype, fields of others ignored. */
const optional = Schema.optional

/** The first request: what the program adds to the session. Sent before the first message. */
export const Initialize = Schema.Struct({
  subtype: Schema.Literal("initialize"),
  systemPrompt: optional(Schema.NullOr(Schema.Union([Schema.String, Schema.Array(Schema.String)]))),
  appendSystemPrompt: optional(Schema.NullOr(Schema.String)),
  title: optional(Schema.NullOr(Schema.String)),
  /** Callbacks of the program by hook event. A session whose hooks can't all be kept is refused: a guard must not be lost. */
  hooks: optional(Schema.NullOr(ProgramHooks)),
  sdkMcpServers: optional(Schema.NullOr(Schema.Array(Schema.String))),
  agents: optional(Schema.NullOr(Schema.Record(Schema.String, Schema.Json))),
  disallowedTools: optional(Schema.NullOr(Schema.Array(Schema.String))),
  mcpServers: optional(Schema.NullOr(Schema.Record(Schema.String, Schema.Json))),
  settings: optional(Schema.NullOr(Schema.Json)),
  managedSettings: optional(Schema.NullOr(Schema.Json))
}).annotate({ identifier: "Initialize" })
export type Initialize = typeof Initialize.Type

/** A JSON-RPC message from or to an MCP server that lives in the program. */
const McpMessage = Schema.Struct({ subtype: Schema.Literal("mcp_message"), server_name: Schema.String, message: Schema.Json })

/** The requests that a program makes. `operation` runs any operation of the control protocol. */
export const ProgramRequest = Schema.Union([
  Initialize,
  Schema.Struct({ subtype: Schema.Literal("interrupt") }),
  Schema.Struct({ subtype: Schema.Literal("set_permission_mode"), mode: Mode }),
  Schema.Struct({ subtype: Schema.Literal("set_model"), model: optional(Schema.NullOr(Schema.String)) }),
  Schema.Struct({
    subtype: Schema.Literal("set_max_thinking_tokens"),
    max_thinking_tokens: optional(Schema.NullOr(Schema.Finite))
  }),
  Schema.Struct({ subtype: Schema.Literal("mcp_status") }),
  McpMessage,
  Schema.Struct({ subtype: Schema.Literal("operation"), operation: Operation })
]).annotate({ identifier: "ProgramRequest" })
export type ProgramRequest = typeof ProgramRequest.Type

/** The subtypes of `ProgramRequest`. */
export const programSubtypes: ReadonlySet<string> = new Set(ProgramRequest.members.map(({ fields }) => fields.subtype.literal))

/** The request of a program, before its subtype is known. */
const ControlRequest = Schema.Struct({
  type: Schema.Literal("control_request"),
  request_id: Schema.String,
  request: Schema.StructWithRest(Schema.Struct({ subtype: Schema.String }), [Schema.Record(Schema.String, Schema.Json)])
}).annotate({ identifier: "ControlRequest" })
export type ControlRequest = typeof ControlRequest.Type

/** The response to a request, from either side. */
export const ControlResponse = Schema.Struct({
  type: Schema.Literal("control_response"),
  response: Schema.Union([
    Schema.Struct({ subtype: Schema.Literal("success"), request_id: Schema.String, response: optional(Schema.Json) }),
    Schema.Struct({ subtype: Schema.Literal("error"), request_id: Schema.String, error: Schema.String })
  ])
}).annotate({ identifier: "ControlResponse" })
export type ControlResponse = typeof ControlResponse.Type

/** The response to a request that failed. */
export const errorResponse = (id: string, error: string): ControlResponse => ({
  type: "control_response",
  response: { subtype: "error", request_id: id, error }
})

/** A request that needs no response any more. */
const ControlCancel = Schema.Struct({ type: Schema.Literal("control_cancel_request"), request_id: Schema.String })

/** Where a program says it is alive, or sets variables of a process: nothing follows. */
const Ignored = Schema.Struct({ type: Schema.Literals(["keep_alive", "update_environment_variables"]) })

/** The control lines of standard input. */
export const inputs = [ControlRequest, ControlResponse, ControlCancel, Ignored] as const

/** A rule that an approval may add. */
const RuleUpdate = Schema.Struct({
  type: Schema.Literal("addRules"),
  rules: Schema.Array(Schema.Struct({ toolName: Schema.String, ruleContent: Schema.optionalKey(Schema.String) })),
  behavior: Schema.Literal("allow"),
  destination: Schema.Literals(["session", "userSettings", "projectSettings", "localSettings"])
})
export type RuleUpdate = typeof RuleUpdate.Type

/** The request that asks the program for an approval (`--permission-prompt-tool stdio`). */
export const CanUseTool = Schema.Struct({
  type: Schema.Literal("control_request"),
  request_id: Schema.String,
  request: Schema.Struct({
    subtype: Schema.Literal("can_use_tool"),
    tool_name: Schema.String,
    input: Schema.Json,
    tool_use_id: Schema.String,
    permission_suggestions: Schema.Array(RuleUpdate),
    decision_reason: Schema.optionalKey(Schema.String),
    blocked_path: Schema.optionalKey(Schema.String),
    description: Schema.optionalKey(Schema.String),
    /** What an edit would change, as a unified diff. */
    diff: Schema.optionalKey(Schema.String),
    agent_id: Schema.optionalKey(Schema.String)
  })
}).annotate({ identifier: "CanUseTool" })
export type CanUseTool = typeof CanUseTool.Type

/** A request to the program besides that: to call a hook, or to deliver a message to one of its MCP servers. */
export const ProcessRequest = Schema.Struct({
  type: Schema.Literal("control_request"),
  request_id: Schema.String,
  request: Schema.Union([
    Schema.Struct({
      subtype: Schema.Literal("hook_callback"),
      callback_id: Schema.String,
      input: Schema.Json,
      tool_use_id: Schema.optionalKey(Schema.String)
    }),
    McpMessage
  ])
}).annotate({ identifier: "ProcessRequest" })
export type ProcessRequest = typeof ProcessRequest.Type

/** The program's decision on a call. */
export const PermissionResult = Schema.Union([
  Schema.Struct({
    behavior: Schema.Literal("allow"),
    updatedInput: optional(Schema.NullOr(Schema.Record(Schema.String, Schema.Json))),
    updatedPermissions: optional(Schema.NullOr(Schema.Array(Schema.StructWithRest(Schema.Struct({ type: Schema.String }), [
      Schema.Record(Schema.String, Schema.Json)
    ]))))
  }),
  Schema.Struct({
    behavior: Schema.Literal("deny"),
    message: optional(Schema.NullOr(Schema.String)),
    interrupt: optional(Schema.NullOr(Schema.Boolean))
  })
])
export type PermissionResult = typeof PermissionResult.Type

/** One event of a streaming response (`--include-partial-messages`), as the Anthropic Messages API names them. */
export const StreamEvent = Schema.Struct({
  type: Schema.Literal("stream_event"),
  session_id: Schema.String,
  parent_tool_use_id: Schema.NullOr(Schema.String),
  uuid: Schema.String,
  event: Schema.StructWithRest(Schema.Struct({ type: Schema.String }), [Schema.Record(Schema.String, Schema.Json)])
}).annotate({ identifier: "StreamEvent" })
export type StreamEvent = typeof StreamEvent.Type

/** The control lines of standard output. */
export const outputs = [ControlResponse, CanUseTool, ProcessRequest, ControlCancel, StreamEvent] as const
