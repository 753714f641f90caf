/** Where the parts of a conversation meet: events, keys and questions go into the screen, what it wishes comes out. */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Screen from "../render/terminal/Screen.ts"
import * as View from "../render/view/View.ts"
import type * as TerminalApprover from "./TerminalApprover.ts"

/** `tell` changes the screen, `changed` says that it did, `typed` that a person waits for it, `wishes` is what it asks for. */
export interface Desk {
  readonly screen: () => Screen.Screen
  readonly show: (screen: Screen.Screen) => void
  readonly tell: (message: Screen.Message) => void
  readonly changed: Queue.Queue<void>
  /** Something was typed: it is to be seen at once. */
  readonly typed: Queue.Queue<void>
  readonly wishes: Queue.Queue<Screen.Wish>
  /** What waits for the person, as it comes up. */
  readonly waiting: Queue.Queue<TerminalApprover.Waiting>
}

export const open = Effect.gen(function*() {
  const changed = yield* Queue.sliding<void>(1)
  const typed = yield* Queue.sliding<void>(1)
  const wishes = yield* Queue.unbounded<Screen.Wish>()
  const waiting = yield* Queue.unbounded<TerminalApprover.Waiting>()
  let screen = Screen.initial(View.initial())
  return {
    changed,
    typed,
    wishes,
    waiting,
    screen: () => screen,
    show: (next) => void (screen = next),
    tell: (message) => {
      const [next, wish] = Screen.update(screen, message)
      screen = next
      if (wish !== undefined) Queue.offerUnsafe(wishes, wish)
      if (message._tag === "Waits" && message.waiting !== undefined) Queue.offerUnsafe(waiting, message.waiting)
      if (message._tag === "Key" || message._tag === "Pasted") Queue.offerUnsafe(typed, undefined)
      Queue.offerUnsafe(changed, undefined)
    }
  } satisfies Desk
})

/** Lets the person choose one of a list; undefined where none is wanted. */
export const pick = ({ tell }: Desk, title: string, options: ReadonlyArray<string>): Effect.Effect<number | undefined> =>
  Effect.callback((resume) => tell({ _tag: "Pick", title, options, answer: (choice) => resume(Effect.succeed(choice)) }))

/** A line of ours between the others. */
export const note = ({ tell }: Desk, text: string, tone: View.Tone = "info"): Effect.Effect<void> =>
  Effect.sync(() => tell({ _tag: "Noted", text, tone }))
