/** What a crash report keeps of an error, and who can read it. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as CrashReportsLive from "../../../src/layers/settings/CrashReportsLive.ts"
import * as TestRedactor from "../../../src/layers/testing/TestRedactor.ts"
import { CrashReports } from "../../../src/services/process/CrashReports.ts"
import { Environment } from "../../../src/services/Environment.ts"

it.effect("a crash report of ten million characters keeps both ends, without secrets and control characters, for the user alone", () => {
  const state = mkdtempSync(join(tmpdir(), "dacapo-crash-"))
  const environment = Layer.succeed(Environment, {
    variables: {},
    folders: { home: state, config: state, data: state, state, cache: state },
    platform: "linux",
    version: "1.2.3"
  })
  return Effect.gen(function*() {
    const file = yield* (yield* CrashReports).save(`TypeError: began with hunter2hunter2\u001b[2J ${"x".repeat(10_000_000)} at the end`)
    const text = readFileSync(file!, "utf8")
    assert.match(text, /^dacapo 1\.2\.3\nTypeError: began with \[REDACTED:[\w:-]+\]/)
    assert.match(text, / at the end\n$/)
    assert.notInclude(text, "\u001b")
    assert.isBelow(text.length, 101_000)
    assert.strictEqual(statSync(file!).mode & 0o777, 0o600)
  }).pipe(
    Effect.provide(Layer.provide(CrashReportsLive.layer, [environment, TestRedactor.layer(["hunter2hunter2"])])),
    Effect.ensuring(Effect.sync(() => rmSync(state, { recursive: true, force: true })))
  )
})
