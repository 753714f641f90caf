/** Counting ids: the same test always names the same sessions. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Ids } from "../../services/Ids.ts"

/** Sessions `00000000-0000-7000-8000-000000000001` and on; seeds `seed-1` and on. */
export const layer: Layer.Layer<Ids> = Layer.effect(
  Ids,
  Effect.sync(() => {
    let sessions = 0
    let seeds = 0
    return Ids.of({
      session: Effect.sync(() => `00000000-0000-7000-8000-${String(++sessions).padStart(12, "0")}`),
      seed: Effect.sync(() => `seed-${++seeds}`)
    })
  })
)
