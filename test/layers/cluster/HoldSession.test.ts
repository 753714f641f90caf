/** The lease of a session that is open. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { holdSession } from "../../../src/layers/cluster/HoldSession.ts"
import * as EventLogLive from "../../../src/layers/storage/EventLogLive.ts"
import * as MemoryStorage from "../../../src/layers/storage/MemoryStorage.ts"
import { EventLog } from "../../../src/services/EventLog.ts"
import { Storage } from "../../../src/services/Storage.ts"

it.effect("is taken once, whoever writes to it meanwhile, and given back when it closes", () => {
  const leases: Array<string> = []
  const storage = Layer.effect(
    Storage,
    Effect.map(Storage, (memory) =>
      Storage.of({
        ...memory,
        lease: (session) =>
          Effect.andThen(
            Effect.acquireRelease(Effect.sync(() => void leases.push("taken")), () => Effect.sync(() => void leases.push("given back"))),
            memory.lease(session)
          )
      }))
  ).pipe(Layer.provide(MemoryStorage.layer))
  return Effect.gen(function*() {
    const { open } = yield* EventLog
    const scope = yield* Scope.make()
    yield* Scope.provide(holdSession("a"), scope)
    for (const text of ["one", "two"])
      yield* Effect.scoped(Effect.flatMap(open("a"), (log) => log.append([{ _tag: "UserSaid", text, delivery: "task" }])))
    expect(leases).toEqual(["taken"])
    yield* Scope.close(scope, Exit.void)
    expect(leases).toEqual(["taken", "given back"])
  }).pipe(Effect.provide(Layer.provide(EventLogLive.layer, storage)))
})
