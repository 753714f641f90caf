/**
 * The process is killed with -9 in every kind of moment that can be named: a short run, of which the quick suite leaves out the
 * moments that take long to be met (crash.test.ts has one like each). The long run, of 200 points, is `npm run test:faults`.
 */
import { describe, expect, it } from "@effect/vitest"
import { existsSync } from "node:fs"
import * as Kills from "../faults/Kills.ts"
import { isComplete } from "../suite.ts"

const rare = ["streaming", "between approval and start", "in a database transaction"]
const kinds = Object.keys(Kills.kinds).filter((kind) => isComplete || !rare.includes(kind))

/** Moments are seen through Linux's /proc. */
const linux = existsSync("/proc/locks")

describe.runIf(linux)("a process that is killed", () => {
  it.each(kinds)("%s keeps its promises", async (kind) => {
    const { broken, points } = await Kills.tally(kind, 1, "short")
    expect(broken).toEqual([])
    expect(points).toBe(1)
  }, 300_000)
})
