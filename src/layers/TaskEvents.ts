/** The events of a running task, for programs without Effect. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { LogError } from "../domain/session/LogError.ts"
import type { Followed } from "../domain/session/SessionEvent.ts"
import { Agent } from "../services/Agent.ts"

/** Follows a session from an event on. A loop that can't write its log any more appends no end: the iteration fails as it did. */
export const taskEvents = (id: string, from: number, context: Context.Context<Agent>): AsyncIterable<Followed> =>
  Stream.unwrap(
    Effect.map(Agent, (agent) =>
      Stream.merge(agent.follow(id, from), Stream.drain(Stream.fromEffect(agent.settled(id))), { haltStrategy: "left" }))
  ).pipe((events: Stream.Stream<Followed, LogError, Agent>) =>
    Stream.toAsyncIterableWith(events, context)
  )
