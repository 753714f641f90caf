/** Whole sessions under a seeded scheduler: nothing breaks a rule, and what is planted is found. */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SessionFile from "../../../../src/layers/storage/SessionFile.ts"
import * as ReplayCheck from "../../../../src/layers/testing/simulation/ReplayCheck.ts"
import * as Shrink from "../../../../src/layers/testing/simulation/Shrink.ts"
import * as Simulation from "../../../../src/layers/testing/simulation/Simulation.ts"
import { LogError } from "../../../../src/domain/session/LogError.ts"
import * as Access from "../../../../src/domain/tool/Access.ts"
import * as Outcome from "../../../../src/domain/tool/Outcome.ts"
import { define } from "../../../../src/services/Tool.ts"
import { planted } from "./planted.ts"

// Errors are part of what is simulated, and their stack traces a large part of the time it takes.
const { stackTraceLimit } = Error
beforeAll(() => void (Error.stackTraceLimit = 0))
afterAll(() => void (Error.stackTraceLimit = stackTraceLimit))

const repeat = (seed: number) => `npm run simulate -- --seed ${seed} --shrink`

/** The seeds that break a rule, each with what it breaks. */
const failures = async (seeds: ReadonlyArray<number>, options: Omit<Simulation.Options, "seed"> = {}) => {
  const failed: Array<string> = []
  let faults = 0
  for (const seed of seeds) {
    const outcome = await Simulation.run({ seed, ...options })
    faults += outcome.faults.length
    if (outcome.violations.length > 0) failed.push(`${repeat(seed)}: ${outcome.violations[0]}`)
  }
  return { failed, faults }
}

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i)

describe("simulated sessions", () => {
  it("break no rule in 300 seeds", async () => {
    const { failed, faults } = await failures(numbers(1, 300))
    expect(failed).toEqual([])
    expect(faults).toBeGreaterThan(1_000)
  }, 300_000)

  it.each([
    ["an interrupt as a message arrives", 1545],
    ["a call whose subagents began before the end of those of another was logged", 4012]
  ])("break none where one did before it was mended: %s", async (_, seed) => {
    expect((await failures([seed])).failed).toEqual([])
  })

  it("are the same twice", async () => {
    // As in scripts/simulate.mjs, which runs the seeds after 300.
    for (const seed of numbers(1, 15).map((n) => n * 20)) {
      const [first, second] = [await Simulation.run({ seed, replays: false }), await Simulation.run({ seed, replays: false })]
      expect([seed, second.hash]).toEqual([seed, first.hash])
    }
    expect((await Simulation.run({ seed: 1 })).hash).not.toBe((await Simulation.run({ seed: 2 })).hash)
  })

  it("do what the model asks for where nothing fails: the control", async () => {
    for (const seed of numbers(1, 10)) {
      const outcome = await Simulation.run({ seed, kinds: [] })
      expect([outcome.faults, outcome.violations, outcome.processes]).toEqual([[], [], 1])
    }
  })

  it("replay from a fork at each of their events", async () => {
    for (const seed of numbers(1, 3)) {
      const { logs, violations } = await Simulation.run({ seed, forks: true })
      expect([seed, violations]).toEqual([seed, []])
      const [root] = [...logs.values()]
      expect([...logs.values()].filter(([first]) => first?.hash === root![0]!.hash).length).toBeGreaterThan(root!.length)
    }
  })
})

describe("a planted fault", () => {
  it.each(planted)("of this kind is found within 1,000 seeds: %s", async (_, replace, rule) => {
    let seed = 1
    const brokenBy = async () => (await Simulation.run({ seed, replace, replays: false })).violations[0]
    let violation = await brokenBy()
    while (violation === undefined && seed < 1_000) {
      seed++
      violation = await brokenBy()
    }
    expect(violation).toMatch(rule)
  }, 300_000)

  it("is shrunk to the faults that it takes", async () => {
    const [, replace, rule] = planted.find(([name]) => name === "a call that runs twice")!
    let seed = 1
    let outcome = await Simulation.run({ seed, replace, replays: false })
    while (outcome.violations.length === 0 || outcome.faults.length < 5) outcome = await Simulation.run({ seed: ++seed, replace, replays: false })
    const { outcome: smallest } = await Shrink.shrink(Simulation.run, { seed, replace, replays: false }, outcome)
    expect(smallest.violations[0]).toMatch(rule)
    expect(smallest.faults.length).toBeLessThan(outcome.faults.length)
    expect(outcome.faults).toEqual(expect.arrayContaining([...smallest.faults]))
  })
})

describe("a tool of one's own", () => {
  it("is called by the simulated model, and replayed", async () => {
    let rings = 0
    const tools = [define({
      name: "ring",
      description: "Rings a bell.",
      params: Schema.Struct({ times: Schema.Int }),
      kind: "command",
      hasNoOtherEffects: true,
      tags: ["agent"],
      access: () => [Access.other("ring")],
      run: ({ times }) => Effect.sync(() => {
        rings += times
        return Outcome.succeeded("It rang.")
      })
    })]
    const { failed } = await failures(numbers(1, 20), { tools, calls: [(dice) => ({ name: "ring", params: { times: 1 + dice.below(3) } })] })
    expect(failed).toEqual([])
    expect(rings).toBeGreaterThan(0)
  })
})

describe("a log that the simulation has saved", () => {
  const folder = new URL("../../../fixtures/simulation/", import.meta.url)
  it.each(globSync("*.jsonl", { cwd: folder.pathname }).toSorted())("%s replays", async (name) => {
    const { blobs, events } = await Effect.runPromise(SessionFile.read(name, readFileSync(new URL(name, folder), "utf8")))
    const getBlob = (hash: string) => {
      const bytes = blobs.get(hash)
      return bytes === undefined
        ? Effect.fail(new LogError({ session: "", message: `Blob ${hash} does not exist.`, reason: { _tag: "NotFound", near: [] } }))
        : Effect.succeed(bytes)
    }
    expect(await ReplayCheck.divergence(1, events, getBlob)).toBeUndefined()
  })
})
