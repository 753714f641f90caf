/** A child that works as an agent which someone wrote down: with its words, and with no more than its parent has. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Mode from "../../domain/approval/Mode.ts"
import type { Task } from "../../domain/subagent/Subagent.ts"
import * as Catalogue from "../../domain/provider/Catalogue.ts"
import type { Wanted } from "../../services/Agent.ts"
import * as AgentFiles from "../context/AgentProfileFiles.ts"
import { isForOthers, type Worker } from "../context/ResolvedAgent.ts"

/** The agent that a task names can't be had. */
class NoAgent extends Data.TaggedError("NoAgent")<{ readonly message: string }> {}

/** What a child starts with, where its task names an agent of the folder `wanted.cwd`; else as it is. */
export const appointed = Effect.fnUntraced(function*({ agent: name, model }: Task, wanted: Wanted) {
  if (name === undefined) return wanted
  const known = yield* AgentFiles.all(wanted.cwd)
  const found = AgentFiles.find(known, name)
  if (Result.isFailure(found)) return yield* new NoAgent({ message: AgentFiles.unknown({ ...known, agents: known.agents.filter(isForOthers) }, name) })
  if (!isForOthers(found.success)) return yield* new NoAgent({ message: `The agent ${name} is one that people run (mode: primary): no other agent gives it work.` })
  return narrowed(wanted, found.success, model)
})

/** Rules that forbid are added, tools and mode can only become fewer and stricter; a model that the task itself names is kept. */
const narrowed = (wanted: Wanted, { model, name, onlyTools, permissionMode, prompt, rules: { ask, deny } }: Worker, named: string | undefined): Wanted => {
  const { mode = "default", onlyTools: before, readOnly = false, rules = { allow: [], ask: [], deny: [] } } = wanted
  const meant = named ?? Catalogue.meant(model, wanted.model)
  return {
    ...wanted,
    agent: name,
    ...(prompt === "" ? {} : { prompt: { ...wanted.prompt, instead: prompt } }),
    ...(meant === undefined ? {} : { model: meant }),
    // A plan is for people to approve: who plans for another agent only looks.
    mode: permissionMode === "plan" ? mode : Mode.tightened(mode, permissionMode),
    readOnly: readOnly || permissionMode === "plan",
    rules: { ...rules, ask: [...rules.ask, ...ask], deny: [...rules.deny, ...deny] },
    ...(onlyTools === undefined ? {} : { onlyTools: onlyTools.filter((tool) => before?.includes(tool) ?? true) })
  }
}
