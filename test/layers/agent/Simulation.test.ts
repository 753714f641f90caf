/**
 * The loop under faults. `SIMULATIONS=1000 npx vitest run test/layers/agent/Simulation.test.ts` runs more of them than a
 * few; what breaks a rule is named with the command that repeats it.
 */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Test from "../../../src/layers/Test.ts"
import * as Invariants from "./invariants.ts"
import * as Simulation from "./simulation.ts"

const stories = Number(process.env["SIMULATIONS"] ?? 8)
const first = Number(process.env["FROM"] ?? 1)

/** What a story breaks. Replays have a world of their own, and wait in real time, where their limits hold. */
const broken = Effect.fnUntraced(function*(options: Simulation.Options) {
  const story = yield* Effect.scoped(Simulation.live(options))
  const divergences = yield* Effect.provide(TestClock.withLive(Invariants.divergences(story)), Test.layer({ turns: [] }))
  return { story, wrong: [...Invariants.violations(story), ...divergences] }
})

const repeat = (seed: number) => `SIMULATIONS=1 FROM=${seed} npx vitest run test/layers/agent/Simulation.test.ts`

describe("a session in a world of faults", () => {
  it.effect("runs nothing twice, ends whatever it begins, settles each reservation once, and replays", () =>
    Effect.gen(function*() {
      const failures: Array<string> = []
      let faults = 0
      for (let seed = first; seed < first + stories; seed++) {
        const { story, wrong } = yield* broken({ seed })
        faults += story.faults.length
        if (wrong.length > 0) failures.push([repeat(seed), story.actions.join("; "), story.faults.join("; "), ...wrong].join("\n  "))
      }
      expect(failures).toEqual([])
      if (stories > 1) expect(faults).toBeGreaterThan(stories)
    }), 60_000 + stories * 5_000)

  it.effect("replays from a fork at each of its events", () =>
    Effect.gen(function*() {
      for (let seed = first; seed < first + Math.ceil(stories / 20); seed++) {
        const { story, wrong } = yield* broken({ seed, forks: true })
        expect(story.forks.size).toBe(story.logs.get(story.root)!.length)
        expect([repeat(seed), ...wrong]).toEqual([repeat(seed)])
      }
    }), 60_000 + stories * 5_000)
})

describe("the same world without faults", () => {
  it.effect("does what the model asks for: the control", () =>
    Effect.gen(function*() {
      let effects = 0
      for (let seed = 1; seed <= 3; seed++) {
        const { story, wrong } = yield* broken({ seed, isFaulty: false })
        effects += story.effects.length
        expect([story.faults, wrong]).toEqual([[], []])
      }
      expect(effects).toBeGreaterThan(3)
    }), 60_000)
})
