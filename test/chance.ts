/** Chance in the tests' own process comes from a seed, another for each file: every run draws the same cases, and `SEED=2 npm test` others. */
import { relative } from "node:path"
import { expect } from "vitest"
import { randomAt } from "../src/domain/session/SeededRandom.ts"

const seed = `${process.env["SEED"] ?? 1} ${relative(import.meta.dirname, expect.getState().testPath ?? "")}`
let drawn = 0

Math.random = () => randomAt(seed, drawn++)
