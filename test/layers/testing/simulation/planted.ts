/** Faults planted in the engine's surroundings, one of each kind: the simulation must find every one of them. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Settled } from "../../../../src/domain/session/SessionEvent.ts"
import * as Core from "../../../../src/layers/Core.ts"
import * as EventLogLive from "../../../../src/layers/storage/EventLogLive.ts"
import * as SimulatedStorage from "../../../../src/layers/testing/simulation/SimulatedStorage.ts"
import type { Options } from "../../../../src/layers/testing/simulation/Simulation.ts"
import { Agent } from "../../../../src/services/Agent.ts"
import { EventLog, type SessionLog } from "../../../../src/services/EventLog.ts"
import { Tools } from "../../../../src/services/Tools.ts"

type Replace = NonNullable<Options["replace"]>

/** A store that takes appends from whoever comes. */
const withoutFence: Replace = ({ life, world }) => ({ storage: SimulatedStorage.layer(world, life, false) })

/** A message to a task that seems to run wakes nobody: the task may have ended in between. */
const lostWakeUp: Replace = () => ({
  agent: Layer.effect(Agent, Effect.gen(function*() {
    const agent = yield* Agent
    const eventLog = yield* EventLog
    return Agent.of({
      ...agent,
      say: Effect.fnUntraced(function*(id, text, delivery = "task", from) {
        const { task } = yield* agent.state(id)
        if (task.state !== "running") return yield* agent.say(id, text, delivery, from)
        yield* Effect.yieldNow
        yield* Effect.scoped(Effect.flatMap(eventLog.open(id), (log) => log.append([{ _tag: "UserSaid", text, delivery }])))
      })
    })
  })).pipe(Layer.provide(Core.agent.agent))
})

/** A call that failed is tried again, although nobody knows what its first run has done. */
const doubleRun: Replace = () => ({
  toolset: Layer.effect(
    Tools,
    Effect.map(Tools, (tools) =>
      Tools.of({
        ...tools,
        run: (...call) => Effect.flatMap(tools.run(...call), (outcome) => outcome.status === "failed" ? tools.run(...call) : Effect.succeed(outcome))
      }))
  ).pipe(Layer.provide(Core.parts().toolset))
})

/** An interrupt that leaves the calls open which it has stopped. */
const unclosedCall: Replace = () => {
  const withoutOutcomes = (events: ReadonlyArray<Settled>) =>
    events[0]?._tag === "Interrupted" ? events.filter(({ _tag }) => _tag !== "ToolFinished") : events
  const append = (log: SessionLog): SessionLog["append"] => (events: ReadonlyArray<Settled>, after?: number) =>
    after === undefined ? log.append(withoutOutcomes(events)) : log.append(withoutOutcomes(events), after) as Effect.Effect<void, never>
  return {
    eventLog: Layer.effect(
      EventLog,
      Effect.map(EventLog, (eventLog) =>
        EventLog.of({ ...eventLog, open: (id) => Effect.map(eventLog.open(id), (log) => ({ ...log, append: append(log) })) }))
    ).pipe(Layer.provide(EventLogLive.layer))
  }
}

/** Each with the rule that it breaks. */
export const planted: ReadonlyArray<readonly [name: string, replace: Replace, rule: RegExp]> = [
  ["a store without its fence", withoutFence, /a process writes that has lost the session/],
  ["a lost wake-up", lostWakeUp, /its task still runs|nothing runs any more|does not return|has no end/],
  ["a call that runs twice", doubleRun, /happened 2 times/],
  ["a call that is left open", unclosedCall, /has no outcome|is not open|started again|results? in the message/]
]
