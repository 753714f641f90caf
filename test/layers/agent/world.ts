/** A test's world, and short ways to run a task in it and to run it again. */
import { expect } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { LogError } from "../../../src/domain/session/LogError.ts"
import type { Settled, SessionEvent } from "../../../src/domain/session/SessionEvent.ts"
import * as Replay from "../../../src/layers/replay/Replay.ts"
import * as MemoryStorage from "../../../src/layers/storage/MemoryStorage.ts"
import * as Test from "../../../src/layers/Test.ts"
import { Agent, type SessionOptions } from "../../../src/services/Agent.ts"
import { EventLog } from "../../../src/services/EventLog.ts"
import { Storage } from "../../../src/services/Storage.ts"

export const begin = (wanted: Partial<SessionOptions> = {}) =>
  Effect.flatMap(Agent, (agent) => agent.start({ cwd: Test.cwd, model: "scripted/test", mode: "acceptEdits", ...wanted }))

/** A whole task: the session's id and its end. */
export const run = Effect.fnUntraced(function*(prompt: string, wanted: Partial<SessionOptions> = {}) {
  const agent = yield* Agent
  const id = yield* begin(wanted)
  yield* agent.say(id, prompt)
  return { id, session: yield* agent.settled(id) }
})

export const events = Effect.fnUntraced(function*(id: string) {
  const log = yield* EventLog
  return yield* log.read(id)
})

export const tags = (log: ReadonlyArray<SessionEvent>) => log.map(({ event }) => event._tag)

export const of = <Tag extends Settled["_tag"]>(log: ReadonlyArray<SessionEvent>, tag: Tag) =>
  log.flatMap(({ event }) => event._tag === tag ? [event as Extract<Settled, { _tag: Tag }>] : [])

/** Waits for an event of a session. */
export const until = (id: string, tag: Settled["_tag"]) =>
  events(id).pipe(
    Effect.flatMap((log) => tags(log).includes(tag) ? Effect.void : Effect.fail("not yet")),
    Effect.retry(Schedule.forever),
    Effect.orDie
  )

/** The session gives the same log when it runs again. */
export const replays = Effect.fnUntraced(function*(id: string) {
  const storage = yield* Storage
  const log = yield* events(id)
  expect(yield* Replay.verify(log, { getBlob: storage.getBlob })).toEqual({ events: log.length })
})

/** Sessions in memory on a disk that refuses what `isRefused` says, by session and the kinds of the events. */
export const refusing = (isRefused: (session: string, tags: ReadonlyArray<string>) => boolean): Layer.Layer<Storage> =>
  Layer.effect(Storage, Effect.map(Effect.map(Layer.build(MemoryStorage.layer), Context.get(Storage)), (store) => Storage.of({
    ...store,
    append: (session, lines, options) =>
      isRefused(session, lines.map(({ body }) => (JSON.parse(body) as { readonly event: Settled }).event._tag))
        ? Effect.fail(new LogError({ session, message: "The disk is full.", reason: { _tag: "Disk", code: "ENOSPC" } }))
        : store.append(session, lines, options)
  })))
