/** A second signal shortens the ending and skips nothing of it: a short run. A longer one: `SIGNALS=300 npx vitest run test/scenarios/signals.slow.test.ts`. */
import { describe, expect, it } from "@effect/vitest"
import { existsSync } from "node:fs"
import * as Signals from "../faults/Signals.ts"
import { choose } from "../suite.ts"

/** What is left is seen through Linux's /proc. */
const linux = existsSync("/proc/self/environ")
const count = Number(process.env["SIGNALS"] ?? choose({ quick: 6, all: 12 }))
const seed = process.env["SEED"] ?? "short"

describe.runIf(linux)("a second signal", () => {
  it("leaves one result, a whole log and no process, at any moment", async () => {
    const tries: Array<Signals.Try> = []
    const left = Array.from({ length: count }, (_, number) => number)
    // Three at a time: most of a try is waiting.
    await Promise.all(Array.from({ length: 3 }, async () => {
      for (let number = left.shift(); number !== undefined; number = left.shift()) tries.push(await Signals.tryOnce(seed, number))
    }))
    expect(tries.flatMap(({ broken, what }) => broken.map((sentence) => `${what}: ${sentence}`))).toEqual([])
    // Commands are deaf and the grace is 3 s: some of these endings were shortened.
    expect(tries.some(({ endedMs }) => endedMs < 2500)).toBe(true)
  }, 60_000 + count * 10_000)
})
