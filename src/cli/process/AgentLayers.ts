/** Where commands get the runtime from: the live composition, loaded when a command needs it. */
import * as Context from "effect/Context"
import type * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import type * as Sandbox from "../../domain/tool/Sandbox.ts"
import type { Agent } from "../../services/Agent.ts"
import type { Approval } from "../../services/Approval.ts"
import type { Approver } from "../../services/Approver.ts"
import type { Checkpoints } from "../../services/Checkpoints.ts"
import type { ContextWindow } from "../../services/ContextWindow.ts"
import type { Intake } from "../../services/Intake.ts"
import type { Environment } from "../../services/Environment.ts"
import type { EventLog } from "../../services/EventLog.ts"
import type { Parser } from "../../services/Parser.ts"
import type { Provider } from "../../services/Provider.ts"
import type { Redactor } from "../../services/Redactor.ts"
import type { Settings } from "../../services/Settings.ts"
import type { Shell } from "../../services/Shell.ts"
import type { Storage } from "../../services/Storage.ts"
import type { Trust } from "../../services/Trust.ts"
import type { Tools } from "../../services/Tools.ts"
import type { Workspace } from "../../services/Workspace.ts"
import type { Failure } from "./ExitCode.ts"

/** What commands ask of the runtime. */
export type Runtime = Agent | Approval | Checkpoints | ContextWindow | Environment | EventLog | Intake | Parser | Provider | Redactor | Settings | Shell | Storage | Tools | Trust | Workspace

/** Where to work, who answers, and whom to ask. */
export interface Options {
  /** Absolute folders, the session's own first. */
  readonly roots: readonly [string, ...ReadonlyArray<string>]
  readonly baseUrl?: string
  readonly approver: Layer.Layer<Approver>
  readonly sandbox?: Partial<Sandbox.Asked>
  /** MCP servers beside those that are set up. */
  readonly mcpServers?: Readonly<Record<string, Schema.Json>>
  /** Nothing of the sessions is kept. */
  readonly ephemeral?: boolean
}

/** What is kept and set: all that a command needs that only looks. */
export type Records = Environment | EventLog | Redactor | Settings | Storage | Trust

export class Wiring extends Context.Service<Wiring, {
  readonly records: Layer.Layer<Records, Failure>
  readonly layer: (options: Options) => Layer.Layer<Runtime, Failure>
}>()("dacapo/cli/Wiring") {}
