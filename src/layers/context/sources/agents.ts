/** The agents that work can be given to, by name and description. */
import * as Effect from "effect/Effect"
import { define } from "../../../services/Source.ts"
import * as AgentFiles from "../AgentProfileFiles.ts"
import { isForOthers } from "../ResolvedAgent.ts"

export const agents = define({
  name: "agents",
  fixed: true,
  gather: Effect.fn("agents")(function*({ cwd }) {
    const { agents } = yield* AgentFiles.all(cwd)
    const told = agents.filter((agent) => isForOthers(agent) && agent.description !== "")
    return told.length === 0 ? {} : { agents: told.map(({ description, name }) => ({ name, description })) }
  })
})
