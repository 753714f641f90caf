/** The contract of an action of `dacapo mcp`. */
import type * as Effect from "effect/Effect"
import type { Invocation } from "../../Command.ts"
import type { Conclusion } from "../../process/Conclusion.ts"
import type { Failure } from "../../process/ExitCode.ts"
import type { Host } from "../../process/Host.ts"
import type { AgentLayers } from "../../process/AgentLayers.ts"

/** The input of an action: the arguments after its name, and the working folder. */
export interface ActionInput extends Invocation {
  readonly cwd: string
}

export type Action = (input: ActionInput) => Effect.Effect<number, Failure, Conclusion | Host | AgentLayers>
