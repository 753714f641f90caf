/** What was said about starting servers: nobody is asked twice for the same command. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { Session } from "../../../domain/session/Session.ts"
import type { Approval } from "../../../services/Approval.ts"
import type { Approver } from "../../../services/Approver.ts"
import type { Known } from "../../../services/Mcp.ts"
import * as Permit from "../Permit.ts"

export interface Consent {
  /** Undefined where a session may start it, else why not. */
  readonly refusal: (known: Known, session: Session) => Effect.Effect<string | undefined>
  /** Whether the session was allowed to. */
  readonly holds: (known: Known, session: string) => boolean
}

export const make = Effect.fnUntraced(function*(services: Context.Context<Approval | Approver>) {
  const turn = yield* Semaphore.make(1)
  const answers = new Map<string, string | undefined>()
  const keyOf = (session: string, { definition }: Known) => JSON.stringify([session, definition])
  return {
    refusal: (known, session) =>
      Effect.suspend(() => {
        // What was said to a session holds for those that it starts.
        const key = keyOf(session.parent ?? session.id, known)
        const answer = answers.has(key) ? Effect.succeed(answers.get(key)) : Effect.provide(Permit.refusal(known, session), services)
        return Effect.tap(answer, (refusal) => Effect.sync(() => answers.set(key, refusal).set(keyOf(session.id, known), refusal)))
      }).pipe(turn.withPermits(1)),
    holds: (known, session) => {
      const key = keyOf(session, known)
      return answers.has(key) && answers.get(key) === undefined
    }
  } satisfies Consent as Consent
})
