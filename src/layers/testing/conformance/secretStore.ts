/**
 * The contract of every SecretStore, as cases that any test runner can run: a case fails with an assertion.
 *
 *     for (const { name, run } of SecretStoreConformance.cases(MyVault.layer)) it.live(name, () => run)
 */
import * as assert from "node:assert/strict"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SecretStore } from "../../../services/cluster/SecretStore.ts"
import { type Case, over } from "./ServiceCase.ts"

/** What the layer has to hold. */
export const secrets = { first: { OPENAI_API_KEY: "sk-first" }, second: { OPENAI_API_KEY: "sk-second", MISTRAL_API_KEY: "sk-other" } }

/** The cases over a layer that holds `secrets`. */
export const cases = <E>(layer: Layer.Layer<SecretStore, E>): ReadonlyArray<Case> => {
  const check = over(SecretStore, layer)
  return [
    check("gives each tenant its own secret", ({ get }) =>
      Effect.gen(function*() {
        for (const [tenant, { OPENAI_API_KEY }] of Object.entries(secrets)) {
          const secret = yield* get(tenant, "OPENAI_API_KEY")
          assert.equal(secret === undefined ? undefined : Redacted.value(secret), OPENAI_API_KEY)
        }
      })),
    check("has no secret that only another tenant has", ({ get }) =>
      Effect.gen(function*() {
        assert.equal(yield* get("first", "MISTRAL_API_KEY"), undefined)
        assert.equal(yield* get("third", "OPENAI_API_KEY"), undefined)
      })),
    check("takes names as names, and not as paths", ({ get }) =>
      Effect.gen(function*() {
        for (
          const [tenant, name] of [["first", "../second/MISTRAL_API_KEY"], ["first/../second", "MISTRAL_API_KEY"], ["..", "second"], [
            "",
            ""
          ]]
        ) {
          assert.equal(yield* get(tenant!, name!), undefined)
        }
      })),
    check("does not print a secret", ({ get }) =>
      Effect.gen(function*() {
        const secret = yield* get("first", "OPENAI_API_KEY")
        assert.ok(!`${secret} ${JSON.stringify({ secret })}`.includes("sk-first"))
      }))
  ]
}
