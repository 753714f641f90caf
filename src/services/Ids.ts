/** Ids and seeds for new sessions; everything inside a session derives from its seed and its seqs. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export class Ids extends Context.Service<Ids, {
  /** A UUID of version 7: sorts by time. */
  readonly session: Effect.Effect<string>
  readonly seed: Effect.Effect<string>
}>()("dacapo/Ids") {}
