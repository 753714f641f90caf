import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { LongestFirst } from "./test/sequencer.ts"

/** Pure: files that share no state, and can share a process. */
const pure = ["test/domain/**/*.test.ts"]

/** Only `npm run test:all` runs these. */
const slow = process.env["SUITE"] === "all" ? [] : ["test/**/*.slow.test.ts"]

export default defineConfig({
  test: {
    globalSetup: "test/build.ts",
    setupFiles: "test/chance.ts",
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: "forks",
    maxWorkers: Math.max(2, availableParallelism()),
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: "pure", include: pure, isolate: false } },
      { extends: true, test: { name: "real", include: ["test/**/*.test.ts"], exclude: [...pure, ...slow] } }
    ]
  }
})
