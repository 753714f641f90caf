/** The person at the terminal answers: questions wait in a line at a desk, one is shown at a time. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Approver, type Answer, type Question, type Reply } from "../../services/Approver.ts"

/** What waits for the person: a call that asks, or a question of the model. */
export type Waiting =
  | { readonly _tag: "Approval"; readonly question: Question; readonly answer: (answer: Answer) => void }
  | { readonly _tag: "Question"; readonly text: string; readonly options: ReadonlyArray<string>; readonly answer: (reply: Reply) => void }

/** `shown` is told of every change: the first that waits, or none. */
export const make = (shown: (waiting: Waiting | undefined) => void): Layer.Layer<Approver> => {
  const line: Array<Waiting> = []
  const leave = (waiting: Waiting): void => {
    const place = line.indexOf(waiting)
    if (place === -1) return
    line.splice(place, 1)
    if (place === 0) shown(line[0])
  }
  /** Waits in the line; an interruption takes the question back. */
  const wait = <A>(make: (answer: (value: A) => void) => Waiting): Effect.Effect<A> =>
    Effect.gen(function*() {
      const answered = yield* Deferred.make<A>()
      const waiting = make((value) => {
        leave(waiting)
        Deferred.doneUnsafe(answered, Effect.succeed(value))
      })
      line.push(waiting)
      if (line.length === 1) shown(waiting)
      return yield* Effect.onInterrupt(Deferred.await(answered), () => Effect.sync(() => leave(waiting)))
    })
  return Layer.succeed(Approver, Approver.of({
    ask: (question) => wait((answer) => ({ _tag: "Approval", question, answer })),
    question: (text, options) => wait((answer) => ({ _tag: "Question", text, options, answer }))
  }))
}
