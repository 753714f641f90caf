import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { LongestFirst } from "./test/sequencer.ts"

const slow = ["test/**/*.slow.test.ts"]

/** Files share a process, and load each module once in it. */
const quick = { extends: true, test: { name: "quick", include: ["test/**/*.test.ts"], exclude: slow, isolate: false } } as const

export default defineConfig({
  test: {
    globalSetup: "test/build.ts",
    setupFiles: "test/chance.ts",
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: "forks",
    maxWorkers: Math.max(2, availableParallelism()),
    sequence: { sequencer: LongestFirst },
    // Only `npm run test:all` runs the slow ones.
    projects: [quick, ...process.env["SUITE"] === "all" ? [{ extends: true, test: { name: "slow", include: slow } } as const] : []]
  }
})
