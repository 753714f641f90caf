/** An edit is computed once for its preview, its intents and its run, and anew only when a file has changed in between. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Outcome } from "../../domain/tool/Outcome.ts"
import type { FileVersion } from "./WriteFiles.ts"

interface PreparedEdit {
  /** The SHA-256 of each file that it was computed from, null for one that did not exist. */
  readonly hashes: ReadonlyArray<string | null>
  readonly result: Result.Result<unknown, Outcome>
}

/** By the decoded params of a call: a call that the user edits has others. */
const preparedEdits = new WeakMap<object, PreparedEdit>()

/**
 * The result of `compute` for these files, reused from an earlier step of the same call. The caller has just opened
 * them, so only the computation is skipped.
 */
export const prepare = <A, R>(
  params: object,
  files: ReadonlyArray<FileVersion | null>,
  compute: Effect.Effect<A, Outcome, R>
): Effect.Effect<A, Outcome, R> =>
  Effect.suspend(() => {
    const hashes = files.map((file) => file?.hash ?? null)
    const prepared = preparedEdits.get(params)
    if (prepared !== undefined && hasSameHashes(prepared.hashes, hashes)) {
      return Effect.fromResult(prepared.result as Result.Result<A, Outcome>)
    }
    return Effect.flatMap(Effect.result(compute), (result) => {
      preparedEdits.set(params, { hashes, result })
      return Effect.fromResult(result)
    })
  })

const hasSameHashes = (a: ReadonlyArray<string | null>, b: ReadonlyArray<string | null>): boolean =>
  a.length === b.length && a.every((hash, i) => hash === b[i])
