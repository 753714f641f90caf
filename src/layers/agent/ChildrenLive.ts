/** Children as sessions of their own, through the same Agent as the session that starts them. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Account from "../../domain/delegation/Account.ts"
import type { Report, Status } from "../../domain/delegation/Child.ts"
import { nothing } from "../../domain/session/Budget.ts"
import * as Session from "../../domain/session/Session.ts"
import { Agent } from "../../services/Agent.ts"
import { type Child, Children } from "../../services/Children.ts"
import { EventLog } from "../../services/EventLog.ts"
import { Ids } from "../../services/Ids.ts"
import { Jobs } from "../../services/Jobs.ts"

export const layer = Layer.effect(Children, Effect.gen(function*() {
  const eventLog = yield* EventLog
  const ids = yield* Ids
  const jobs = yield* Jobs

  const run = Effect.fn("Children.run")(function*(child: Child) {
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

  return Children.of({ id: () => ids.session, run })
}))

/** Starts a child, gives it its task, or takes it up in its middle: whatever a death left to do. */
const begin = Effect.fnUntraced(function*({ prompt, session, wanted }: Child) {
  const agent = yield* Agent
  const { seq, task } = yield* agent.state(session)
  if (seq < 0) yield* agent.start({ ...wanted, id: session })
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
