/** What a runner gives the session of a tenant: its own keys, nothing of the runner's, and a redactor that knows both. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as TenantSession from "../../../src/cli/cluster/TenantSession.ts"
import * as MemorySecrets from "../../../src/layers/testing/MemorySecrets.ts"
import { Tenants, type TenantStore } from "../../../src/services/cluster/Tenants.ts"
import { Environment } from "../../../src/services/Environment.ts"
import * as Keys from "../../../src/services/Keys.ts"
import { Redactor } from "../../../src/services/Redactor.ts"
import { Storage } from "../../../src/services/Storage.ts"

const runnersKey = "sk-runner-4f9a8b7c6d5e4f3a2b1c"
const acmesKey = "an-unusual-key-of-acme"

const folder = Effect.acquireRelease(Effect.sync(() => mkdtempSync(join(tmpdir(), "dacapo-tenant-"))), (path) => Effect.sync(() => rmSync(path, { recursive: true })))

/** A runner whose store has a session of acme, `a`, and one of nobody, `n`. */
const runner = Effect.map(folder, (home) =>
  Layer.mergeAll(
    Layer.succeed(Environment, {
      variables: { OPENAI_API_KEY: runnersKey, LANG: "C" },
      folders: { home, config: `${home}/config`, data: `${home}/data`, state: `${home}/state`, cache: `${home}/cache` },
      platform: "linux",
      version: "1"
    }),
    Layer.succeed(Tenants, {
      tenantOf: (session: string) => Effect.succeed(session === "a" ? "acme" : undefined),
      storage: () => Storage.of({} as Storage["Service"]),
      spending: () => ({ limit: Effect.succeed(3) })
    } as unknown as TenantStore)
  ))

describe("the session of a tenant", () => {
  it.effect("has the keys of its tenant and no others, and hides them", () =>
    Effect.gen(function*() {
      const services = Layer.merge(yield* runner, MemorySecrets.layer({ acme: { OPENAI_API_KEY: acmesKey } }))
      const make = yield* Effect.provide(TenantSession.make(["/secrets"]), services)
      assert.isUndefined(yield* make("n"))
      const { options } = (yield* make("a"))!
      assert.deepStrictEqual(options.environment.variables, { LANG: "C" })
      assert.strictEqual(options.usdPerDay, 3)
      assert.deepStrictEqual(options.hidden.map((path) => path.split("/").at(-1)), ["secrets", "config", "data", "state"])
      const find = (name: string) => Effect.provide(Keys.find([name], { [name]: runnersKey }, (key) => Redacted.make(key)), options.keys)
      yield* Effect.gen(function*() {
        const { redact } = yield* Redactor
        assert.strictEqual((yield* redact)(acmesKey), acmesKey)
        const found = yield* find("OPENAI_API_KEY")
        assert.strictEqual(Redacted.value(found!.key), acmesKey)
        assert.strictEqual(found!.source, "the secret store of acme")
        assert.isUndefined(yield* find("MISTRAL_API_KEY"))
        assert.notInclude((yield* redact)(`it said ${acmesKey}`), acmesKey)
        assert.notInclude((yield* redact)(`it said ${runnersKey}`), runnersKey)
      }).pipe(Effect.provide(options.redactor))
      const { advice, remove, save } = yield* Effect.provide(Effect.flatMap(Keys.Keys, Effect.succeed), options.keys)
      assert.strictEqual(advice?.(["A_KEY", "B_KEY"]), "Add A_KEY or B_KEY to the secret store of acme.")
      assert.include((yield* Effect.flip(save("A_KEY", Redacted.make("x")))).message, "can't be saved for acme")
      assert.isFalse(yield* remove("A_KEY"))
    }).pipe(Effect.scoped))

  it.effect("is refused by a runner without a secret store", () =>
    Effect.gen(function*() {
      const make = yield* Effect.provide(TenantSession.make([]), yield* runner)
      assert.isUndefined(yield* make("n"))
      const error = yield* Effect.flip(make("a"))
      assert.strictEqual(error._tag === "SettingsError" && error.where, "--secrets")
      assert.include(error.message, "belongs to the tenant acme, and this runner has no secret store. Start it with --secrets <folder>.")
    }).pipe(Effect.scoped))
})
