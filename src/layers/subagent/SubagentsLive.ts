/** Children as sessions of their own, through the same Agent as the session that starts them. */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Account from "../../domain/subagent/SubagentReport.ts"
import type { Report, Status } from "../../domain/subagent/Subagent.ts"
import { nothing } from "../../domain/session/Budget.ts"
import * as Session from "../../domain/session/Session.ts"
import { Agent, type Wanted } from "../../services/Agent.ts"
import { type Child, Children } from "../../services/Subagents.ts"
import type { Environment } from "../../services/Environment.ts"
import { EventLog } from "../../services/EventLog.ts"
import { Ids } from "../../services/Ids.ts"
import { Jobs } from "../../services/BackgroundCommands.ts"
import type { Trust } from "../../services/Trust.ts"
import { Worktrees } from "../../services/Worktrees.ts"
import { appointed } from "../agent/Appointed.ts"

/** A child with what it starts with as the agent that its task names, read in its parent's folder. */
interface Known extends Child {
  readonly appointed: Effect.Effect<Wanted, { readonly message: string }>
}

/** What a child is told of a folder of its own. */
const own = "You work in a copy of the folder that was made for you alone: name its files relative to it. What you changed in it is merged when you finish; you need not commit it."

export const layer = Layer.effect(Children, Effect.gen(function*() {
  const eventLog = yield* EventLog
  const ids = yield* Ids
  const jobs = yield* Jobs
  const worktrees = yield* Worktrees
  const services = yield* Effect.context<Environment | FileSystem.FileSystem | Trust>()

  const work = Effect.fnUntraced(function*(child: Known) {
    const agent = yield* Agent
    const work = Effect.gen(function*() {
      yield* begin(child)
      const ended = yield* Effect.timeoutOption(agent.settled(child.session), child.timeoutMs)
      if (Option.isSome(ended)) return yield* told(child, statuses[ended.value.task.state])
      yield* agent.interrupt(child.session, "Its time was over.")
      return yield* told(child, "timed out", `It was stopped after ${child.timeoutMs / 1000} s.`)
    })
    return yield* work.pipe(
      Effect.tap(() => jobs.stop(child.session)),
      Effect.onInterrupt(() => agent.interrupt(child.session, "The session that started it was stopped.")),
      Effect.catch(({ message }) => Effect.succeed(unable(child, message)))
    )
  })

  const told = Effect.fnUntraced(function*({ session, wanted }: Child, status: Status, instead?: string) {
    const agent = yield* Agent
    return Account.of(wanted.name ?? "", status, yield* eventLog.read(session), yield* agent.state(session), instead)
  })

  /** In a folder of its own, by an agent that works there. */
  const apart = (child: Known, name: string) =>
    Effect.scoped(Effect.flatMap(worktrees.open(child.wanted.cwd, name), ({ agent, cwd }) =>
      work({ ...child, prompt: `${child.prompt}\n\n${own}`, wanted: { ...child.wanted, cwd } }).pipe(Effect.provideService(Agent, agent)))).pipe(
      Effect.catchTag("CheckpointError", ({ message }) => Effect.succeed(unable(child, `It could not be given a folder of its own: ${message}`)))
    )

  const run = Effect.fn("Children.run")((child: Child) => {
    const known = { ...child, appointed: Effect.provide(appointed(child.task, child.wanted), services) }
    return child.apart === undefined ? work(known) : apart(known, child.apart)
  })

  return Children.of({ id: () => ids.session, run })
}))

/** Starts a child, gives it its task, or takes it up in its middle: whatever a death left to do. */
const begin = Effect.fnUntraced(function*({ appointed, prompt, session, wanted: { cwd } }: Known) {
  const agent = yield* Agent
  const { seq, task } = yield* agent.state(session)
  if (seq < 0) yield* agent.start({ ...yield* appointed, cwd, id: session })
  if (task.state === "idle") return yield* agent.say(session, prompt, "task", "agent")
  if (Session.resumable(yield* agent.state(session))) yield* agent.resume(session, { wanted: {}, goOn: true })
})

const statuses: Readonly<Record<Session.Task["state"], Status>> = {
  idle: "failed",
  running: "failed",
  interrupted: "interrupted",
  finished: "finished",
  failed: "failed"
}

/** One that could not even begin. */
const unable = ({ wanted }: Child, message: string): Report => ({
  name: wanted.name ?? "",
  status: "failed",
  result: message,
  calls: 0,
  errors: 0,
  evidence: [],
  changed: [],
  spent: nothing
})
