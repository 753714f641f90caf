/** The layers that commands run with: the live composition, loaded when a command needs it. */
import * as Context from "effect/Context"
import type * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import type * as Sandbox from "../../domain/tool/Sandbox.ts"
import type { Agent } from "../../services/Agent.ts"
import type { Approval } from "../../services/Approval.ts"
import type { Approver } from "../../services/Approver.ts"
import type { BackgroundCommands } from "../../services/BackgroundCommands.ts"
import type { Checkpoints } from "../../services/Checkpoints.ts"
import type { ContextWindow } from "../../services/ContextWindow.ts"
import type { Intake } from "../../services/Intake.ts"
import type { Environment } from "../../services/Environment.ts"
import type { EventLog } from "../../services/EventLog.ts"
import type { JsonFiles } from "../../services/JsonFiles.ts"
import type { Hooks } from "../../services/extension/Hooks.ts"
import type { Parser } from "../../services/Parser.ts"
import type { Provider } from "../../services/Provider.ts"
import type { Redactor } from "../../services/Redactor.ts"
import type { Settings, SettingsSnapshot } from "../../services/Settings.ts"
import type { Shell } from "../../services/Shell.ts"
import type { Skills } from "../../services/Skills.ts"
import type { Storage } from "../../services/Storage.ts"
import type { Trust } from "../../services/Trust.ts"
import type { Tools } from "../../services/Tools.ts"
import type { Workspace } from "../../services/Workspace.ts"
import type { Failure } from "./ExitCode.ts"

/** The services of the full agent. */
export type AgentServices =
  | Agent
  | Approval
  | BackgroundCommands
  | Checkpoints
  | ContextWindow
  | Environment
  | EventLog
  | Hooks
  | Intake
  | JsonFiles
  | Parser
  | Provider
  | Redactor
  | Settings
  | SettingsSnapshot
  | Shell
  | Skills
  | Storage
  | Tools
  | Trust
  | Workspace

/** Folders, model server, approver and sandbox of an agent. */
export interface Options {
  /** Absolute folders of the workspace, the working folder first. */
  readonly roots: readonly [string, ...ReadonlyArray<string>]
  readonly baseUrl?: string
  readonly approver: Layer.Layer<Approver>
  readonly sandbox?: Partial<Sandbox.SandboxOptions>
  /** MCP servers in addition to the configured ones. */
  readonly mcpServers?: Readonly<Record<string, Schema.Json>>
  /** By default the composition opens the user's own store. */
  readonly storage?: Layer.Layer<Storage>
  /** In place of this machine's variables and keys. */
  readonly environment?: Layer.Layer<Environment>
  readonly keys?: Layer.Layer<never>
  readonly redactor?: Layer.Layer<Redactor>
  /** Sessions are not saved. */
  readonly ephemeral?: boolean
  /** False: no plugin is loaded. */
  readonly plugins?: boolean
  /** The agent of a server, and its logs. */
  readonly remote?: { readonly agent: Layer.Layer<Agent, never, Approver>; readonly eventLog: Layer.Layer<EventLog> }
}

/** The services of stored data and settings, for commands that run no agent. */
export type RecordServices = Environment | EventLog | JsonFiles | Redactor | Settings | Storage | Trust

export class AgentLayers extends Context.Service<AgentLayers, {
  readonly records: Layer.Layer<RecordServices, Failure>
  readonly layer: (options: Options) => Layer.Layer<AgentServices, Failure>
}>()("dacapo/cli/Wiring") {}
