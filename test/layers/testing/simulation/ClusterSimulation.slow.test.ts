/** Clusters of several runners under seeded schedulers: nothing breaks a rule, and what is planted is found. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as ClusterSimulation from "../../../../src/layers/testing/simulation/cluster/ClusterSimulation.ts"
import { type Kind, probabilities } from "../../../../src/layers/testing/simulation/FaultPlan.ts"
import * as Shrink from "../../../../src/layers/testing/simulation/Shrink.ts"
import { plantedInClusters } from "./plantedInClusters.ts"

// Errors are part of what is simulated, and their stack traces a large part of the time it takes.
const { stackTraceLimit } = Error
beforeAll(() => void (Error.stackTraceLimit = 0))
afterAll(() => void (Error.stackTraceLimit = stackTraceLimit))

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i)

describe("simulated clusters", () => {
  it("break no rule in 80 seeds", async () => {
    const failed: Array<string> = []
    const kinds = new Set<string>()
    for (const seed of numbers(1, 80)) {
      const { faults, violations } = await ClusterSimulation.run({ seed })
      for (const fault of faults) kinds.add(fault.replace(/ \d+$/, ""))
      if (violations.length > 0) failed.push(`npm run simulate -- --cluster --seed ${seed} --shrink: ${violations[0]}`)
    }
    expect(failed).toEqual([])
    for (const kind of ["connection lost", "database connection lost", "gateway killed", "gateway killed at append", "network slow", "runner cut off", "runner joins", "runner killed", "runner leaves", "runner paused", "runner paused at append"])
      expect(kinds).toContain(kind)
  }, 900_000)

  // Found before gateways died, which changed what each seed draws: eventLog.test.ts and HoldSession.test.ts hold what was mended.
  it.each([
    ["a session that is written while it closes", 384],
    ["a subagent that ends while its session moves", 19]
  ])("break none where one did before it was mended: %s", async (_, seed) => {
    expect((await ClusterSimulation.run({ seed, replays: false })).violations).toEqual([])
  })

  it("are the same twice", async () => {
    for (const seed of [20, 40, 60]) {
      const [first, second] = [await ClusterSimulation.run({ seed, replays: false }), await ClusterSimulation.run({ seed, replays: false })]
      expect([seed, second.hash]).toEqual([seed, first.hash])
    }
  })

  it("are reproduced by the command line", async () => {
    const args = ["scripts/simulate.mjs", "--cluster", "--seed", "7"]
    const cwd = new URL("../../../../", import.meta.url).pathname
    const outputs = [await promisify(execFile)(process.execPath, args, { cwd }), await promisify(execFile)(process.execPath, args, { cwd })]
    expect(outputs[1]!.stdout).toBe(outputs[0]!.stdout)
    expect(outputs[0]!.stdout).toContain("Seed 7: no rule is broken")
  })

  it("finish without faults: the control", async () => {
    for (const seed of numbers(1, 5)) {
      const { faults, logs, violations } = await ClusterSimulation.run({ seed, kinds: [] })
      expect([faults, violations]).toEqual([[], []])
      expect([...logs.values()].some((log) => log.some(({ event }) => event._tag === "TaskFinished"))).toBe(true)
    }
  })
})

describe("a fault planted in a cluster", () => {
  it.each(plantedInClusters)("of this kind is found within 1,000 seeds: %s", async (_, parts, rule, from) => {
    let seed = from
    const brokenBy = async () => (await ClusterSimulation.run({ seed, parts, replays: false })).violations[0]
    let violation = await brokenBy()
    while (violation === undefined && seed < 1_000) {
      seed++
      violation = await brokenBy()
    }
    expect(violation).toMatch(rule)
  }, 900_000)

  it("that only the death of a gateway shows is not found without one", async () => {
    const [, parts] = plantedInClusters.find(([name]) => name === "a gateway that forgets what it has sent")!
    const kinds = (Object.keys(probabilities) as ReadonlyArray<Kind>).filter((kind) => !kind.startsWith("gateway"))
    for (const seed of numbers(1, 12)) expect((await ClusterSimulation.run({ seed, parts, kinds, replays: false })).violations).toEqual([])
  }, 120_000)

  it("is shrunk to the faults that it takes", async () => {
    const [, parts, rule] = plantedInClusters.find(([name]) => name === "a message without its key")!
    let seed = 1
    let outcome = await ClusterSimulation.run({ seed, parts, replays: false })
    while (outcome.violations.length === 0 || outcome.faults.length < 5) outcome = await ClusterSimulation.run({ seed: ++seed, parts, replays: false })
    const { outcome: smallest } = await Shrink.shrink(ClusterSimulation.run, { seed, parts, replays: false }, outcome)
    expect(smallest.violations[0]).toMatch(rule)
    expect(smallest.faults.length).toBeLessThan(outcome.faults.length)
  }, 300_000)
})
