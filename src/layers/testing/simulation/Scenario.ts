/** The logs of a simulated seed as exported sessions: files that the tests replay. */
import * as Effect from "effect/Effect"
import * as HashChain from "../../storage/HashChain.ts"
import * as SessionFile from "../../storage/SessionFile.ts"
import type { Outcome } from "./Outcome.ts"

/** File names and texts, one for each session; the names begin with `name`. */
export const files = ({ getBlob, logs, seed }: Outcome, name = "seed"): Promise<ReadonlyArray<readonly [name: string, text: string]>> =>
  Effect.runPromise(
    Effect.forEach(
      [...logs],
      ([id, log], place) =>
        Effect.map(
          SessionFile.gather(id, HashChain.lines(log), getBlob),
          (file) => [`${name}-${seed}${place === 0 ? "" : `-${place}`}.jsonl`, SessionFile.write(file)] as const
        )
    )
  )
