/**
 * The contract of every implementation of Settings, as cases that any test runner can run: a case fails with an assertion.
 *
 *     for (const { name, run } of SettingsConformance.cases(MySettings.layer)) it.live(name, () => run)
 */
import * as assert from "node:assert/strict"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Settings } from "../../../services/Settings.ts"
import { type Case, over } from "./ServiceCase.ts"

/** `layer` is built for each case, without settings of a user. */
export const cases = <E>(layer: Layer.Layer<Settings, E>, cwd = "/workspace"): ReadonlyArray<Case> => {
  const check = over(Settings, layer)
  return [
    check(
      "begins without rules",
      ({ load }) => Effect.map(load(cwd), ({ rules }) => assert.deepEqual(rules, { allow: [], ask: [], deny: [] }))
    ),
    check("shows at once what was set, and names where it is", ({ load, set }) =>
      Effect.gen(function*() {
        assert.notEqual(yield* set(cwd, ["model"], "scripted/a"), "")
        assert.equal((yield* load(cwd)).model, "scripted/a")
      })),
    check("removes a value", ({ load, set }) =>
      Effect.gen(function*() {
        yield* set(cwd, ["maxTurns"], 5)
        yield* set(cwd, ["maxTurns"], undefined)
        assert.equal((yield* load(cwd)).maxTurns, undefined)
      })),
    check("refuses what is not valid, and stays as it was", ({ load, set }) =>
      Effect.gen(function*() {
        yield* set(cwd, ["maxTurns"], 5)
        const result = yield* Effect.result(set(cwd, ["maxTurns"], "many"))
        assert.ok(Result.isFailure(result) && result.failure._tag === "SettingsError")
        assert.ok(Result.isFailure(yield* Effect.result(set(cwd, ["nonsense"], 1))))
        assert.equal((yield* load(cwd)).maxTurns, 5)
      })),
    check("adds an allow rule once", ({ allow, load }) =>
      Effect.gen(function*() {
        yield* allow(cwd, "Bash(npm test)")
        yield* allow(cwd, "Bash(npm test)")
        assert.deepEqual((yield* load(cwd)).rules.allow.map(({ rule }) => rule), ["Bash(npm test)"])
      })),
    check("merges its scopes in order", ({ load, scopes, set }) =>
      Effect.gen(function*() {
        yield* set(cwd, ["model"], "scripted/a")
        const files = yield* scopes(cwd)
        assert.equal(files.findLast(({ settings }) => settings.model !== undefined)?.settings.model, (yield* load(cwd)).model)
      }))
  ]
}
