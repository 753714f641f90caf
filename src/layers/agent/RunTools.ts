/** Starts calls, side by side, and settles each as it ends. A call is logged before it runs. */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { Session } from "../../domain/session/Session.ts"
import type { Settled } from "../../domain/session/SessionEvent.ts"
import type { Call } from "../../domain/session/Transcript.ts"
import type { Outcome } from "../../domain/tool/Outcome.ts"
import type { SessionLog } from "../../services/EventLog.ts"
import { Tools } from "../../services/Tools.ts"
import { joinCheckpoint } from "./Checkpointing.ts"
import { judgeAgain } from "./JudgeCalls.ts"
import { delegate } from "../subagent/RunTasks.ts"

/** The maximum number of concurrent reads. */
const concurrency = 8

export const runTools = Effect.fn("Agent.runTools")(function*(log: SessionLog, session: Session, calls: ReadonlyArray<Call>) {
  const tools = yield* Tools
  // Reads are judged as they read; any other call runs alone.
  const [first] = calls
  const newVerdict = first === undefined ? undefined : yield* judgeAgain(session, first)
  if (newVerdict !== undefined) return yield* log.append([newVerdict], session.seq)
  const startEvents = yield* Effect.forEach(
    calls,
    Effect.fnUntraced(function*({ call, proposal }): Effect.fn.Return<Settled> {
      const intends = proposal?.kind === "edit" ? yield* tools.editIntents(call, session) : []
      return { _tag: "ToolStarted", call: call.id, ...(intends.length === 0 ? {} : { intends }) }
    })
  )
  yield* log.append(startEvents, session.seq)
  const delegateLock = yield* Semaphore.make(1)
  const run = Effect.fnUntraced(function*(one: Call) {
    const { call } = one
    const tasks = tools.tasks(call, session)
    if (tasks.length === 0) {
      const outcome = yield* tools.run(call, session, (text) => log.emit({ _tag: "Output", call: call.id, text }))
      return yield* settle(one, [], outcome)
    }
    // The next call's subagents begin after this one's end is logged, in a replay too.
    yield* delegateLock.withPermits(1)(
      Effect.flatMap(delegate(log, session, one, tasks), ({ before, outcome }) => settle(one, before, outcome))
    )
  })
  const settle = ({ call, proposal }: Call, before: ReadonlyArray<Settled>, outcome: Outcome) =>
    Effect.uninterruptible(Effect.gen(function*() {
      const joined = proposal?.kind === "read" ? [] : yield* joinCheckpoint(log, { call: call.id })
      yield* log.append([...before, ...resultEvents(call.id, outcome), ...joined])
    }))
  yield* Effect.forEach(calls, run, { concurrency, discard: true })
})

/** Ends a call that does not run; one whose outcome is unknown ran in a process that died, and may have changed files. */
export const closeCall = Effect.fn("Agent.closeCall")(function*(log: SessionLog, session: Session, { call }: Call, outcome: Outcome) {
  const joined = outcome.status === "unknown" ? yield* joinCheckpoint(log, { call: call.id }) : []
  yield* log.append([...resultEvents(call.id, outcome), ...joined], session.seq)
})

/** An outcome, and the facts that the fold takes from it. */
const resultEvents = (call: string, outcome: Outcome): ReadonlyArray<Settled> => [
  { _tag: "ToolFinished", call, outcome },
  ...(outcome.touched ?? []).map(({ hash, kind, path }): Settled => ({ _tag: "FileTouched", path, kind, hash, by: "agent" })),
  ...(outcome.todo === undefined ? [] : [{ _tag: "TodoUpdated", items: outcome.todo } satisfies Settled])
]
