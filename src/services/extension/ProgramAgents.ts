/** Agent profiles that the program which started a run defines: of two with one name, the program's is used. */
import * as Context from "effect/Context"
import type { AgentProfile } from "../../domain/config/AgentProfile.ts"

export const ProgramAgents = Context.Reference<ReadonlyArray<AgentProfile>>("dacapo/ProgramAgents", { defaultValue: () => [] })
