/** `dacapo acp`: serves editors over the Agent Client Protocol on standard input and output. */
import * as Effect from "effect/Effect"
import type { Run } from "../Command.ts"

export const run: Run = Effect.fnUntraced(function*({ values }) {
  const { serve } = yield* Effect.promise(() => import("../acp/ServeAcp.ts"))
  yield* serve(values)
  return 0
}, Effect.scoped)
