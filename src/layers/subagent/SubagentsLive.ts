/** Subagents as separate sessions, through the same Agent as their parent session. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import { optional } from "../../domain/Optional.ts"
import * as ReportOf from "../../domain/subagent/SubagentReport.ts"
import type { SubagentReport, SubagentStatus, SubagentTask } from "../../domain/subagent/Subagent.ts"
import { zero } from "../../domain/session/Budget.ts"
import * as Session from "../../domain/session/Session.ts"
import { Agent, type SessionOptions } from "../../services/Agent.ts"
import { type SubagentRun, Subagents } from "../../services/Subagents.ts"
import type { Environment } from "../../services/Environment.ts"
import { EventLog } from "../../services/EventLog.ts"
import { Ids } from "../../services/Ids.ts"
import { BackgroundCommands } from "../../services/BackgroundCommands.ts"
import type { Trust } from "../../services/Trust.ts"
import { Worktrees } from "../../services/Worktrees.ts"
import type { SmallFiles } from "../context/sources/SmallFile.ts"
import * as Mode from "../../domain/approval/Mode.ts"
import * as Catalogue from "../../domain/provider/Catalogue.ts"
import * as AgentProfileFiles from "../context/AgentProfileFiles.ts"
import { type ResolvedAgent, isSubagent } from "../context/ResolvedAgent.ts"

// A subagent with an agent profile: with its prompt, and with no more permissions than its parent.

/** The agent profile that a task names is unavailable. */
class UnknownAgent extends Data.TaggedError("NoAgent")<{ readonly message: string }> {}

/** A subagent's start options, if its task names an agent of the folder `wanted.cwd`; else unchanged. */
const applyAgentProfile = Effect.fnUntraced(function*({ agent: name, model }: SubagentTask, options: SessionOptions) {
  if (name === undefined) return options
  const profiles = yield* AgentProfileFiles.all(options.cwd)
  const match = AgentProfileFiles.find(profiles, name)
  if (Result.isFailure(match))
    return yield* new UnknownAgent({
      message: AgentProfileFiles.unknownAgent({ ...profiles, agents: profiles.agents.filter(isSubagent) }, name)
    })
  if (!isSubagent(match.success)) return yield* new UnknownAgent({ message: `The agent ${name} can't run as a subagent (mode: primary).` })
  return restrict(options, match.success, model)
})

/** Denying rules are added, tools and mode can only become fewer and stricter; a model that the task itself names takes precedence. */
const restrict = (
  options: SessionOptions,
  { model, name, onlyTools, permissionMode, prompt, rules: { ask, deny } }: ResolvedAgent,
  taskModel: string | undefined
): SessionOptions => {
  const { mode = "default", onlyTools: sessionTools, readOnly = false, rules = { allow: [], ask: [], deny: [] } } = options
  const effectiveModel = taskModel ?? Catalogue.resolveAlias(model, options.model)
  return {
    ...options,
    agent: name,
    ...(prompt === "" ? {} : { prompt: { ...options.prompt, instead: prompt } }),
    ...optional({ model: effectiveModel }),
    // A plan needs approval by a person: planning for another agent is read-only.
    mode: permissionMode === "plan" ? mode : Mode.stricterMode(mode, permissionMode),
    readOnly: readOnly || permissionMode === "plan",
    rules: { ...rules, ask: [...rules.ask, ...ask], deny: [...rules.deny, ...deny] },
    ...(onlyTools === undefined ? {} : { onlyTools: onlyTools.filter((tool) => sessionTools?.includes(tool) ?? true) })
  }
}

/** A subagent's start options with the agent profile that its task names, read in its parent's folder. */
interface PreparedSubagent extends SubagentRun {
  readonly agentOptions: Effect.Effect<SessionOptions, { readonly message: string }>
}

/** The note to a subagent about its own folder. */
const worktreeNotice =
  "You work in a copy of the folder that was made for you alone: name its files relative to it. What you changed in it is merged when you finish; you need not commit it."

export const layer = Layer.effect(
  Subagents,
  Effect.gen(function*() {
    const eventLog = yield* EventLog
    const ids = yield* Ids
    const commands = yield* BackgroundCommands
    const worktrees = yield* Worktrees
    const services = yield* Effect.context<Environment | SmallFiles | Trust>()

    const runSubagent = Effect.fnUntraced(function*(subagent: PreparedSubagent) {
      const agent = yield* Agent
      const attempt = Effect.gen(function*() {
        yield* begin(subagent)
        const outcome = yield* Effect.timeoutOption(agent.settled(subagent.session), subagent.timeoutMs)
        if (Option.isSome(outcome)) return yield* report(subagent, statuses[outcome.value.task.state])
        yield* agent.interrupt(subagent.session, "The subagent ran out of time.")
        return yield* report(subagent, "timed out", `Stopped after ${subagent.timeoutMs / 1000} s.`)
      })
      return yield* attempt.pipe(
        Effect.tap(() => commands.stop(subagent.session)),
        Effect.onInterrupt(() => agent.interrupt(subagent.session, "The parent session was stopped.")),
        Effect.catch(({ message }) => Effect.succeed(failedReport(subagent, message)))
      )
    })

    const report = Effect.fnUntraced(function*({ session, options }: SubagentRun, status: SubagentStatus, replacement?: string) {
      const agent = yield* Agent
      return ReportOf.of(options.name ?? "", status, yield* eventLog.read(session), yield* agent.state(session), replacement)
    })

    /** In its own folder, by an agent that works there. */
    const runInWorktree = (subagent: PreparedSubagent, name: string) =>
      Effect.scoped(
        Effect.flatMap(worktrees.open(subagent.options.cwd, name), ({ agent, cwd }) =>
          runSubagent({ ...subagent, prompt: `${subagent.prompt}\n\n${worktreeNotice}`, options: { ...subagent.options, cwd } }).pipe(
            Effect.provideService(Agent, agent)
          ))
      ).pipe(
        Effect.catchTag(
          "CheckpointError",
          ({ message }) =>
            Effect.succeed(failedReport(subagent, `Could not create a worktree: ${message}`))
        )
      )

    const run = Effect.fn("Children.run")((subagent: SubagentRun) => {
      const prepared = { ...subagent, agentOptions: Effect.provide(applyAgentProfile(subagent.task, subagent.options), services) }
      return subagent.worktree === undefined ? runSubagent(prepared) : runInWorktree(prepared, subagent.worktree)
    })

    return Subagents.of({ id: () => ids.session, run })
  })
)

/** Starts a subagent, gives it its task, or resumes it: whatever remains to do after a crash. */
const begin = Effect.fnUntraced(function*({ agentOptions, prompt, session, options: { cwd } }: PreparedSubagent) {
  const agent = yield* Agent
  const { seq, task } = yield* agent.state(session)
  if (seq < 0) yield* agent.start({ ...yield* agentOptions, cwd, id: session })
  if (task.state === "idle") return yield* agent.say(session, prompt, "task", "agent")
  if (Session.canResume(yield* agent.state(session))) yield* agent.resume(session, { overrides: {}, shouldContinue: true })
})

const statuses: Readonly<Record<Session.Task["state"], SubagentStatus>> = {
  idle: "failed",
  running: "failed",
  interrupted: "interrupted",
  finished: "finished",
  failed: "failed"
}

/** One that could not even begin. */
const failedReport = ({ options }: SubagentRun, message: string): SubagentReport => ({
  name: options.name ?? "",
  status: "failed",
  result: message,
  calls: 0,
  errors: 0,
  evidence: [],
  changed: [],
  spent: zero
})
