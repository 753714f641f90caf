import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Keyring from "../../../src/layers/settings/Keyring.ts"
import * as KeysLive from "../../../src/layers/settings/KeysLive.ts"
import { Environment } from "../../../src/services/Environment.ts"
import * as Keys from "../../../src/services/Keys.ts"

const key = "sk-test-4f9a1c77e2b8d0"

/** A keyring in memory, and how often it was asked for anything. */
const ring = () => {
  const kept = new Map<string, string>()
  const counted = { opened: 0 }
  const keyring: Keyring.Keyring = {
    get: (name) => Effect.sync(() => kept.get(name) ?? null),
    set: (name, value) => Effect.sync(() => (kept.set(name, value), true)),
    delete: (name) => Effect.sync(() => kept.delete(name))
  }
  return { kept, counted, open: () => Effect.sync(() => (counted.opened++, keyring)) }
}

const within = <A, E>(use: (data: string) => Effect.Effect<A, E>, open: typeof Keyring.open) =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "dacapo-keys-"))),
    (data) =>
      Effect.provide(use(data), KeysLive.layerOver(open).pipe(Layer.provide(Layer.succeed(Environment, {
        variables: {}, folders: { home: data, config: data, data, state: data, cache: data }, platform: "linux", version: "0"
      })))),
    (data) => Effect.sync(() => rmSync(data, { recursive: true }))
  )

const none: typeof Keyring.open = () => Effect.succeed(null)
const find = Keys.find(["A_KEY", "B_KEY"], { A_KEY: " " }, Redacted.make)

describe("a saved key", () => {
  it.live("is in the keyring if there is one, and the file only has its name", () => {
    const { kept, open } = ring()
    return within((data) =>
      Effect.gen(function*() {
        const keys = yield* Keys.Keys
        assert.strictEqual(yield* keys.save("B_KEY", Redacted.make(key)), "the OS keyring")
        assert.deepStrictEqual([...kept], [["B_KEY", key]])
        assert.deepStrictEqual(JSON.parse(readFileSync(join(data, "auth.json"), "utf8")), { B_KEY: { in: "keyring" } })
        const found = yield* find
        assert.deepStrictEqual([found?.source, found && Redacted.value(found.key), String(found?.key)], ["the OS keyring", key, "<redacted:B_KEY>"])
        assert.deepStrictEqual([yield* keys.remove("B_KEY"), yield* keys.remove("B_KEY"), [...kept]], [true, false, []])
        assert.isUndefined(yield* find)
      }), open)
  })

  it.live("is in a private file without a keyring", () =>
    within((data) =>
      Effect.gen(function*() {
        const keys = yield* Keys.Keys
        const file = join(data, "auth.json")
        assert.strictEqual(yield* keys.save("A_KEY", Redacted.make(key)), file)
        assert.strictEqual(statSync(file).mode & 0o777, 0o600)
        assert.strictEqual((yield* find)?.source, file)
      }), none))

  it.live("is overridden by the environment, and an empty keyring is not opened", () => {
    const { counted, open } = ring()
    return within(() =>
      Effect.gen(function*() {
        assert.isUndefined(yield* find)
        const found = yield* Keys.find(["A_KEY", "B_KEY"], { B_KEY: "b" }, Redacted.make)
        assert.deepStrictEqual([found?.source, counted.opened], ["B_KEY in the environment", 0])
      }), open)
  })

  it.live("is not shown in the error of a damaged file", () =>
    within((data) =>
      Effect.gen(function*() {
        writeFileSync(join(data, "auth.json"), `{ "A_KEY": "${key}" `)
        const error = yield* Effect.flip(find)
        assert.include(error.message, "log in again")
        assert.notInclude(error.message, key)
      }), none))

  it.live("needs no keyring", () =>
    Effect.gen(function*() {
      assert.isNull(yield* Keyring.open({ DACAPO_DISABLE_KEYRING: "1" }, "darwin"))
      assert.isNull(yield* Keyring.open({}, "linux"))
      assert.isNull(yield* Keyring.open({ DBUS_SESSION_BUS_ADDRESS: "unix:path=/nowhere" }, "linux"))
    }))
})
