/** The runtime for commands that look and never run a task: whatever would ask is denied. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Host } from "./Host.ts"
import * as NobodyApprover from "../headless/UnattendedApprover.ts"
import { Wiring } from "./AgentLayers.ts"

export const unattended = Effect.fnUntraced(function*(cwd: string) {
  const host = yield* Host
  const wiring = yield* Wiring
  return wiring.layer({ roots: [cwd], approver: Layer.provide(NobodyApprover.layer("deny"), Layer.succeed(Host, host)) })
})
