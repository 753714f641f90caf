/** The plug-in contract of a context source: facts about the environment for the prompt. */
import type * as Effect from "effect/Effect"
import type { Facts } from "../domain/session/SessionEvent.ts"

/**
 * Where a session works, and the hashes of the files that it has seen, as it saw them (null: it deleted them). `session` is its id,
 * absent where facts are gathered for none.
 */
export interface SourceContext {
  readonly session?: string
  readonly cwd: string
  readonly files: ReadonlyMap<string, string | null>
}

/**
 * Never fails: what can't be read becomes a fact or is left out. A `fixed` source is queried once a session, the others
 * before each request.
 */
export interface Source<R = never> {
  readonly name: string
  readonly isFixed: boolean
  readonly gather: (context: SourceContext) => Effect.Effect<Partial<Facts>, never, R>
}

export const define = <R = never>(source: Source<R>): Source<R> => source
