/**
 * Replays a recorded session: the same agent, every input answered from the log, every event of ours recomputed and
 * compared with the recording, hash for hash. The agent is loaded when a replay starts.
 */
import * as Effect from "effect/Effect"
import type * as VerifyReplay from "./VerifyReplay.ts"

export { Diverged } from "./Diverged.ts"

const load = Effect.promise(() => import("./VerifyReplay.ts"))

/** Verifies that the session reproduces its log; fails with the first event that differs. `until`: only up to there. */
export const verify = (...replay: Parameters<typeof VerifyReplay.verify>): ReturnType<typeof VerifyReplay.verify> =>
  Effect.flatMap(load, ({ verify }) => verify(...replay))

/**
 * The log that these inputs produce: what we compute is recomputed and replaces the recording, up to and including
 * `until`, or to where the run diverges. The remainder is preserved, and chained to it.
 */
export const rewrite = (...replay: Parameters<typeof VerifyReplay.rewrite>): ReturnType<typeof VerifyReplay.rewrite> =>
  Effect.flatMap(load, ({ rewrite }) => rewrite(...replay))
