/** The plug-in contract of a context source: what of the world outside goes into a prompt. */
import type * as Effect from "effect/Effect"
import type { Facts } from "../domain/session/SessionEvent.ts"

/** Where a session works, and the hashes of the files that it has seen, as it saw them (null: it deleted them). */
export interface At {
  readonly cwd: string
  readonly files: ReadonlyMap<string, string | null>
}

/**
 * Never fails: what can't be read is told as a fact or left out. A `fixed` source is asked once a session, the others
 * before each request.
 */
export interface Source<R = never> {
  readonly name: string
  readonly fixed: boolean
  readonly gather: (at: At) => Effect.Effect<Partial<Facts>, never, R>
}

export const define = <R = never>(source: Source<R>): Source<R> => source
