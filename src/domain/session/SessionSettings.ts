/** A session's permissions and configuration, as its log holds them. */
import * as Schema from "effect/Schema"
import { Mode } from "../approval/Mode.ts"
import { Hook } from "../hook/Hook.ts"
import { Model, ModelChoice, ToolFormat } from "../provider/Model.ts"
import { SearchSettings } from "../search/SearchSettings.ts"
import { AfterEdit } from "../tool/AfterEdit.ts"
import { Limits } from "./Limits.ts"

/** A rule as the user wrote it, and the reason that is shown when it decides. */
const RuleText = Schema.Union([Schema.String, Schema.Struct({ rule: Schema.String, justification: Schema.String })])

/** Permission rules by decision (safety.md §1). */
export const Rules = Schema.Struct({
  allow: Schema.Array(RuleText),
  ask: Schema.Array(RuleText),
  deny: Schema.Array(RuleText)
}).annotate({ identifier: "Rules" })
export type Rules = typeof Rules.Type

/**
 * A task's permissions and configuration: given by flags and settings, then read only from the log. `model` is the complete description,
 * so that window and prices are the same when the session is replayed; so are the others: `plan` responds in plan mode, `fallbacks` take
 * over when it fails (older logs: one `fallback`), `cheap` writes summaries and titles. `onlyTools` are the permitted tools, `readOnly`
 * those of them that only read; absent: all tools of the mode. `roots` are folders open besides the session's own; `agent` is the agent
 * profile that these settings come from; of `prompt`, `instead` replaces our own introduction to the system prompt and `also` is
 * appended to it. `afterEdit` runs after edits, if permitted. `autoFiles` is the token limit for automatically included files
 * (context/AutoInclude); 0 disables them. `hooks` are the active ones, in their order; `search` turns searches on. `tagRepair`: slips
 * in XML calls are repaired. `storeFiles`: the log carries the workspace's files (workspace/StoredFiles).
 */
export const SessionSettings = Schema.Struct({
  model: Model,
  mode: Mode,
  toolFormat: ToolFormat,
  plan: Schema.optionalKey(ModelChoice),
  fallback: Schema.optionalKey(ModelChoice),
  fallbacks: Schema.optionalKey(Schema.Array(ModelChoice)),
  cheap: Schema.optionalKey(Model),
  limits: Limits,
  rules: Rules,
  onlyTools: Schema.optionalKey(Schema.Array(Schema.String)),
  readOnly: Schema.optionalKey(Schema.Boolean),
  roots: Schema.optionalKey(Schema.Array(Schema.String)),
  agent: Schema.optionalKey(Schema.String),
  prompt: Schema.optionalKey(Schema.Struct({ instead: Schema.optionalKey(Schema.String), also: Schema.optionalKey(Schema.String) })),
  afterEdit: Schema.optionalKey(Schema.Array(AfterEdit)),
  autoFiles: Schema.optionalKey(Schema.Int),
  hooks: Schema.optionalKey(Schema.Array(Hook)),
  search: Schema.optionalKey(SearchSettings),
  tagRepair: Schema.optionalKey(Schema.Boolean),
  storeFiles: Schema.optionalKey(Schema.Boolean),
  onAsk: Schema.Literals(["ask", "deny", "exit"])
}).annotate({ identifier: "SessionSettings" })
export type SessionSettings = typeof SessionSettings.Type
