/**
 * The contract of every context source, as cases that any test runner can run: a case fails with an assertion.
 *
 *     for (const { name, run } of SourceConformance.cases(MySource, { cwd, services })) it.live(name, () => run)
 */
import * as assert from "node:assert/strict"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { FactsChange } from "../../../domain/session/SessionEvent.ts"
import type { Source, SourceContext } from "../../../services/Source.ts"
import type { Case } from "./ServiceCase.ts"

/** `cwd` is a folder that the source can read, `services` what it needs. */
export interface Options<R, E> {
  readonly cwd: string
  readonly services: Layer.Layer<R, E>
}

const decode = Schema.decodeUnknownEffect(FactsChange)

/** The cases of one source, over services that are built for each of them. */
export const cases = <R, E = never>({ gather, name }: Source<R>, { cwd, services }: Options<R, E>): ReadonlyArray<Case> => {
  const here: SourceContext = { session: "a", cwd, files: new Map() }
  const check = (title: string, body: Effect.Effect<void, unknown, R>): Case => ({
    name: title,
    run: Effect.scoped(Effect.provide(body, Layer.fresh(services)))
  })
  return [
    check("has a name", Effect.sync(() => assert.match(name, /^[a-z][a-zA-Z]*$/))),
    check(
      "gathers facts that a log can hold",
      Effect.gen(function*() {
        const facts = yield* gather(here)
        const logged: unknown = JSON.parse(JSON.stringify(facts))
        assert.deepEqual(yield* decode(logged), facts)
      })
    ),
    check(
      "gathers the same facts while nothing changes",
      Effect.gen(function*() {
        assert.deepEqual(yield* gather(here), yield* gather(here))
      })
    ),
    check(
      "fails nowhere: not in a folder that does not exist, not for files that are gone",
      Effect.gen(function*() {
        yield* gather({ cwd: `${cwd}/none`, files: new Map() })
        yield* gather({ cwd, files: new Map([["gone.txt", "0".repeat(64)], ["deleted.txt", null]]) })
      })
    )
  ]
}
