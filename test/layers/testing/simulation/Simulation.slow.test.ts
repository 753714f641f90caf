/** As many seeds as take a few minutes, by the command that reproduces one. */
import { expect, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { constants, setPriority } from "node:os"
import { promisify } from "node:util"

const root = new URL("../../../../", import.meta.url).pathname
const simulate = (...args: ReadonlyArray<string>) => promisify(execFile)(process.execPath, ["scripts/simulate.mjs", ...args], { cwd: root, encoding: "utf8" })

// Simulation.test.ts runs the first 300.
it("the seeds from 301 to 5,000 break no rule", async () => {
  const running = simulate("--from", "301", "--seeds", "4700")
  // It uses every core, and leaves them to the other tests where they need them.
  setPriority(running.child.pid!, constants.priority.PRIORITY_BELOW_NORMAL)
  const { stdout } = await running
  console.log(stdout.trim())
  expect(stdout).toMatch(/^4700 seeds, 0 failed; /m)
}, 3_600_000)

it("a seed is reproduced by its number", async () => {
  const [first, second] = [await simulate("--seed", "7"), await simulate("--seed", "7")]
  expect(second.stdout).toBe(first.stdout)
  expect(first.stdout).toContain("Seed 7: no rule is broken")
  await expect(simulate("--seed", "0")).rejects.toMatchObject({ code: 2 })
})
