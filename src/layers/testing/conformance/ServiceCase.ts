/** Cases over a layer, for the suites of single services. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** One promise of a service; the effect fails if it is broken. */
export interface Case {
  readonly name: string
  readonly run: Effect.Effect<void, unknown>
}

/** Makes a case: the layer is built anew for each. */
export const over =
  <I, S, E>(service: Context.Key<I, S>, layer: Layer.Layer<I, E>) =>
  (name: string, body: (service: S) => Effect.Effect<void, unknown>): Case => ({
    name,
    run: Effect.scoped(Effect.provide(Effect.flatMap(service, body), Layer.fresh(layer)))
  })
