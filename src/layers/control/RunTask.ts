/** One task in a session of its own: for programs that use the agent as a tool or as a model. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { LogError } from "../../domain/session/LogError.ts"
import type { ProviderError } from "../../domain/provider/ProviderError.ts"
import type { SettingsError } from "../../domain/config/SettingsError.ts"
import type { Session } from "../../domain/session/Session.ts"
import * as Limits from "../../domain/session/Limits.ts"
import { Agent, type SessionOptions } from "../../services/Agent.ts"

/** How a task ended: its result, or why it failed. `cost` is in USD. */
export interface TaskResult extends Pick<Session, "cost" | "id" | "usage"> {
  readonly state: Session["task"]["state"]
  readonly result: string
}

/** Nobody watches such a task: it ends after this many turns and minutes, unless the options say otherwise. */
export const defaultLimits = { turns: 100, wallMs: 30 * 60_000 }

/**
 * Runs the prompt to its end; an interruption ends the task, and nothing of it is left running. `onTurn` hears of each request to
 * the model, counted from 1.
 */
export const runTask = Effect.fn("RunTask")(
  function*(
    prompt: string,
    { limits, ...options }: SessionOptions,
    onTurn: (turn: number) => void = () => {}
  ): Effect.fn.Return<TaskResult, LogError | ProviderError | SettingsError, Agent> {
    const agent = yield* Agent
    const id = yield* agent.start({ ...options, limits: { ...Limits.defaults, ...defaultLimits, ...limits } })
    return yield* nextTask(id, prompt, onTurn)
  }
)

/** Another task in such a session. Cost and usage are the session's. */
export const nextTask = Effect.fnUntraced(
  function*(id: string, prompt: string, onTurn: (turn: number) => void = () => {}): Effect.fn.Return<TaskResult, LogError, Agent> {
    const agent = yield* Agent
    let turns = 0
    const report = Stream.runForEach(agent.follow(id, 0), (item) =>
      Effect.sync(() => {
        if (item._tag === "Settled" && item.at.event._tag === "ModelRequested") onTurn(++turns)
      }))
    return yield* agent.say(id, prompt, "task", "agent").pipe(
      Effect.andThen(Effect.raceFirst(agent.settled(id), Effect.andThen(report, Effect.never))),
      Effect.map(({ cost, task: { result, state }, usage }) => ({ id, state, result, cost, usage })),
      Effect.onInterrupt(() => agent.interrupt(id, "Aborted by the calling program."))
    )
  }
)
