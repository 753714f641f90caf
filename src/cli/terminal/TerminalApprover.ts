/** The approver of an interactive terminal: prompts wait in a queue, and the screen shows one at a time. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Approver, type Answer, type Question, type Reply } from "../../services/Approver.ts"

/** A prompt that waits for the user: a tool call that needs approval, or a question from the model. */
export type PendingPrompt =
  | { readonly _tag: "Approval"; readonly question: Question; readonly answer: (answer: Answer) => void }
  | { readonly _tag: "Question"; readonly text: string; readonly options: ReadonlyArray<string>; readonly answer: (reply: Reply) => void }

/** `onChange` receives the first prompt of the queue whenever it changes; `canType`: the screen can show commands and type into them. */
export const make = (onChange: (pending: PendingPrompt | undefined) => void, canType = false): Layer.Layer<Approver> => {
  const queue: Array<PendingPrompt> = []
  const remove = (pending: PendingPrompt): void => {
    const index = queue.indexOf(pending)
    if (index === -1) return
    queue.splice(index, 1)
    if (index === 0) onChange(queue[0])
  }
  /** Adds a prompt to the queue; an interruption removes it. */
  const enqueue = <A>(make: (answer: (value: A) => void) => PendingPrompt): Effect.Effect<A> =>
    Effect.gen(function*() {
      const deferred = yield* Deferred.make<A>()
      const pending = make((value) => {
        remove(pending)
        Deferred.doneUnsafe(deferred, Effect.succeed(value))
      })
      queue.push(pending)
      if (queue.length === 1) onChange(pending)
      return yield* Effect.onInterrupt(Deferred.await(deferred), () => Effect.sync(() => remove(pending)))
    })
  return Layer.succeed(
    Approver,
    Approver.of({
      canType,
      ask: (question) => enqueue((answer) => ({ _tag: "Approval", question, answer })),
      question: (text, options) => enqueue((answer) => ({ _tag: "Question", text, options, answer }))
    })
  )
}
