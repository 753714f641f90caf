/** A test's world whose models answer over real HTTP on loopback, from a scripted server; time is the test's. */
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as ProviderLive from "../../../src/layers/provider/ProviderLive.ts"
import * as MemoryWorkspace from "../../../src/layers/testing/MemoryWorkspace.ts"
import * as Test from "../../../src/layers/Test.ts"

/** A key that nothing may ever show. */
export const key = "sk-test-4f9a1c77e2b8d0"

export const layer = (options: ProviderLive.Options, world: Partial<Test.World> = {}) =>
  Test.layer({
    turns: [],
    files: MemoryWorkspace.files({ "a.txt": "one\n" }),
    provider: ProviderLive.layer(options),
    variables: { OPENAI_API_KEY: key, ANTHROPIC_API_KEY: key },
    ...world
  })

/** Lets time pass for as long as something takes, giving sockets their turn between the steps. */
export const flying = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(
    effect,
    Effect.forever(Effect.andThen(Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 2))), TestClock.adjust("1 second")))
  )
