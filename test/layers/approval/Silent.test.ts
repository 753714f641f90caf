import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { fuzz } from "../../fuzz/silent.ts"

it.live("what runs without a prompt runs no program, changes no file and opens no file outside that the analysis did not name", () =>
  Effect.gen(function*() {
    const { failures, silent } = yield* fuzz(300, 20261123)
    assert.deepStrictEqual(failures, [])
    assert.isAbove(silent, 30)
  }))

it.live("what edits without a prompt changes nothing protected and nothing outside", () =>
  Effect.gen(function*() {
    const { failures, silent } = yield* fuzz(200, 20261123, "acceptEdits")
    assert.deepStrictEqual(failures, [])
    assert.isAbove(silent, 15)
  }))
