/** What a hook reads on standard input: the fields of Claude Code's hooks, with its names of tools and their inputs. */
import type * as Schema from "effect/Schema"
import type { Session } from "../session/SessionState.ts"
import * as ToolNames from "../tool/ToolNames.ts"
import type { HookPoint } from "./HookPoint.ts"

/** The input of a point's hooks. */
export const of = (session: Session, point: HookPoint): Schema.JsonObject => ({
  session_id: session.id,
  transcript_path: "",
  cwd: session.cwd,
  permission_mode: session.settings.mode,
  hook_event_name: point.event,
  ...fieldsOf(session, point),
  ...callFields(session, point)
})

const fieldsOf = ({ hooks, settings }: Session, { event, source = "", text = "" }: HookPoint): Schema.JsonObject => {
  switch (event) {
    case "SessionStart":
      return { source, model: `${settings.model.provider}/${settings.model.id}` }
    case "SessionEnd":
      return { reason: source }
    case "UserPromptSubmit":
      return { prompt: text }
    case "PreCompact":
    case "PostCompact":
      return { trigger: source, custom_instructions: text }
    case "Stop":
    case "SubagentStop":
      return { stop_hook_active: hooks.isStopActive, last_assistant_message: text }
    case "SubagentStart":
      return { agent_type: settings.agent ?? "" }
    case "Notification":
      return { message: text, notification_type: source }
    case "PreToolUse":
    case "PermissionRequest":
    case "PostToolUse":
    case "PostToolUseFailure":
      return {}
  }
}

const callFields = ({ calls }: Session, { call: id, event }: HookPoint): Schema.JsonObject => {
  const match = calls.find(({ call }) => call.id === id)
  if (match === undefined) return {}
  const { call, outcome } = match
  const { input, name } = ToolNames.claude.call(call.name, call.params)
  const text = outcome?.content.flatMap((part) => part._tag === "Text" ? [part.text] : []).join("\n") ?? ""
  return {
    tool_name: name,
    tool_input: input,
    tool_use_id: call.id,
    ...(event === "PostToolUse" ? { tool_response: { output: text } } : {}),
    ...(event === "PostToolUseFailure" ? { error: text } : {})
  }
}
