import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    globalSetup: "test/build.ts",
    setupFiles: "test/chance.ts",
    include: ["test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks"
  }
})
