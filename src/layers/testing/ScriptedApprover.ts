/** Answers that are written in the test, in order; one that is missing or left over is a failure that says so. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Answer, Approver } from "../../services/Approver.ts"

/** What is said to a question about a call: to allow it once unless told otherwise. */
export type Said = Partial<Omit<Answer, "by">>

/** `words` answer the model's own questions, in order. */
export const layer = (answers: ReadonlyArray<Said>, words: ReadonlyArray<string> = []): Layer.Layer<Approver> =>
  Layer.effect(Approver, Effect.gen(function*() {
    const left = { answers: [...answers], words: [...words] }
    yield* Effect.addFinalizer(() =>
      left.answers.length + left.words.length === 0
        ? Effect.void
        : Effect.die(new Error(`Answers that nobody asked for: ${JSON.stringify(left)}`))
    )
    return Approver.of({
      ask: ({ call, reason }) =>
        Effect.suspend(() => {
          const said = left.answers.shift()
          if (said === undefined) return Effect.die(new Error(`An answer is missing: ${call.name} ${JSON.stringify(call.params)} (${reason})`))
          return Effect.succeed<Answer>({ decision: "allow", scope: "once", ...said, by: "user" })
        }),
      question: (text) =>
        Effect.suspend(() => {
          const said = left.words.shift()
          return said === undefined ? Effect.die(new Error(`An answer is missing: ${text}`)) : Effect.succeed({ by: "user", words: said } as const)
        })
    })
  }))
