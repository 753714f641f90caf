/** A session's log after its lease was given back. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as EventLogLive from "../../../src/layers/storage/EventLogLive.ts"
import * as MemoryStorage from "../../../src/layers/storage/MemoryStorage.ts"
import { EventLog } from "../../../src/services/EventLog.ts"

const say = (text: string) => ({ _tag: "UserSaid", text, delivery: "task" }) as const

it.effect("takes no append after it was closed: the session may be another runner's by then", () =>
  Effect.gen(function*() {
    const eventLog = yield* EventLog
    const scope = yield* Scope.make()
    const log = yield* Scope.provide(eventLog.open("a"), scope)
    yield* log.append([say("first")])
    yield* Scope.close(scope, Exit.void)
    const error = yield* Effect.flip(log.append([say("second")]))
    expect(error).toMatchObject({ _tag: "LogError", reason: { _tag: "Locked" } })
    expect((yield* eventLog.read("a")).length).toBe(1)
    // Whoever opens it next continues after what is stored.
    yield* Effect.scoped(Effect.flatMap(eventLog.open("a"), (next) => next.append([say("third")])))
    expect((yield* eventLog.read("a")).map(({ event }) => "text" in event && event.text)).toEqual(["first", "third"])
  }).pipe(Effect.provide(Layer.provide(EventLogLive.layer, MemoryStorage.layer))))
