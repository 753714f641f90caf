/** The live runtime, loaded when a command asks for it: help and usage errors never pay for it. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Wiring } from "./Wiring.ts"

export const layer = Layer.succeed(Wiring, {
  records: Layer.unwrap(Effect.map(Effect.promise(() => import("../layers/Records.ts")), ({ layer }) => layer)),
  layer: (options) => Layer.unwrap(Effect.map(Effect.promise(() => import("../layers/Live.ts")), (Live) => Live.layer(options)))
})
