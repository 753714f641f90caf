/**
 * The agent layers for commands that run no task: every approval request is denied. `ephemeral`: sessions are not saved;
 * `plugins` false: none is loaded. `sandbox` and `mcpServers` as for a session.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Host } from "./Host.ts"
import * as UnattendedApprover from "../headless/UnattendedApprover.ts"
import { AgentLayers, type Options } from "./AgentLayers.ts"

export const unattendedLayer = Effect.fnUntraced(function*(
  cwd: string,
  { ephemeral = false, plugins = true, ...options }: Partial<Pick<Options, "ephemeral" | "mcpServers" | "plugins" | "sandbox">> = {}
) {
  const host = yield* Host
  const agentLayers = yield* AgentLayers
  const approver = Layer.provide(UnattendedApprover.layer("deny"), Layer.succeed(Host, host))
  return agentLayers.layer({ ...options, roots: [cwd], approver, ephemeral, plugins })
})
