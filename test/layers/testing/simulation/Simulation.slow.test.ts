/** As many seeds as take a few minutes, by the command that reproduces one. */
import { expect, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { promisify } from "node:util"

const root = new URL("../../../../", import.meta.url).pathname
const simulate = (...args: ReadonlyArray<string>) => promisify(execFile)(process.execPath, ["scripts/simulate.mjs", ...args], { cwd: root, encoding: "utf8" })

it("5,000 seeds break no rule", async () => {
  const { stdout } = await simulate("--seeds", "5000")
  console.log(stdout.trim())
  expect(stdout).toMatch(/^5000 seeds, 0 failed; /m)
}, 1_800_000)

it("a seed is reproduced by its number", async () => {
  const [first, second] = [await simulate("--seed", "7"), await simulate("--seed", "7")]
  expect(second.stdout).toBe(first.stdout)
  expect(first.stdout).toContain("Seed 7: no rule is broken")
  await expect(simulate("--seed", "0")).rejects.toMatchObject({ code: 2 })
}, 120_000)
