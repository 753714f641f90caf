/** Answers scripted in a test, in order; a missing or unused one is a failure that says so. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Answer, Approver } from "../../services/Approver.ts"

/** The reply to a question about a call: by default, allow it once. */
export type ScriptedAnswer = Partial<Omit<Answer, "by">>

/** `words` answer the model's own questions, in order. */
export const layer = (answers: ReadonlyArray<ScriptedAnswer>, replies: ReadonlyArray<string> = []): Layer.Layer<Approver> =>
  Layer.effect(
    Approver,
    Effect.gen(function*() {
      const remaining = { answers: [...answers], words: [...replies] }
      yield* Effect.addFinalizer(() =>
        remaining.answers.length + remaining.words.length === 0
          ? Effect.void
          : Effect.die(new Error(`Answers that nobody asked for: ${JSON.stringify(remaining)}`))
      )
      return Approver.of({
        ask: ({ call, reason }) =>
          Effect.suspend(() => {
            const answer = remaining.answers.shift()
            if (answer === undefined)
              return Effect.die(new Error(`An answer is missing: ${call.name} ${JSON.stringify(call.params)} (${reason})`))
            return Effect.succeed<Answer>({ decision: "allow", scope: "once", ...answer, by: "user" })
          }),
        question: (text) =>
          Effect.suspend(() => {
            const reply = remaining.words.shift()
            return reply === undefined ? Effect.die(new Error(`An answer is missing: ${text}`))
              : Effect.succeed({ by: "user", text: reply } as const)
          })
      })
    })
  )
