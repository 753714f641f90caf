/** The state of the screen with its queues: events, keys and prompts go in, actions come out. */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Screen from "../render/terminal/Screen.ts"
import * as View from "../render/view/View.ts"
import type * as TerminalApprover from "./TerminalApprover.ts"

/** `dispatch` updates the screen; the queues signal what follows from that. */
export interface ScreenStore {
  readonly screen: () => Screen.Screen
  readonly set: (screen: Screen.Screen) => void
  readonly dispatch: (message: Screen.Message) => void
  /** The screen changed. */
  readonly changes: Queue.Queue<void>
  /** The user typed, so the change is drawn at once. */
  readonly keystrokes: Queue.Queue<void>
  /** The user typed, so a prompt is not ready before a pause. */
  readonly activity: Queue.Queue<void>
  readonly actions: Queue.Queue<Screen.Action>
  /** New prompts. */
  readonly prompts: Queue.Queue<TerminalApprover.PendingPrompt>
}

export const open = Effect.gen(function*() {
  const changes = yield* Queue.sliding<void>(1)
  const keystrokes = yield* Queue.sliding<void>(1)
  const activity = yield* Queue.sliding<void>(1)
  const actions = yield* Queue.unbounded<Screen.Action>()
  const prompts = yield* Queue.unbounded<TerminalApprover.PendingPrompt>()
  let screen = Screen.initial(View.initial())
  return {
    changes,
    keystrokes,
    activity,
    actions,
    prompts,
    screen: () => screen,
    set: (next) => void (screen = next),
    dispatch: (message) => {
      const [next, action] = Screen.update(screen, message)
      const hasKeys = message._tag === "Key" || message._tag === "Pasted"
      screen = next
      if (action !== undefined) Queue.offerUnsafe(actions, action)
      if (message._tag === "Pending" && message.pending !== undefined) Queue.offerUnsafe(prompts, message.pending)
      if (hasKeys) Queue.offerUnsafe(keystrokes, undefined)
      if (hasKeys || message._tag === "Typing") Queue.offerUnsafe(activity, undefined)
      Queue.offerUnsafe(changes, undefined)
    }
  } satisfies ScreenStore
})

/** Lets the user choose from a list, which begins at the option `selected`; undefined if they cancel. */
export const pick = (
  { dispatch }: ScreenStore,
  title: string,
  options: ReadonlyArray<string>,
  selected = 0
): Effect.Effect<number | undefined> =>
  Effect.callback((resume) => dispatch({ _tag: "Pick", title, options, selected, answer: (choice) => resume(Effect.succeed(choice)) }))

/** The same with marks, which the user can change; they are those at the end, also if the user cancels. */
export const pickMarked = (
  { dispatch }: ScreenStore,
  title: string,
  options: ReadonlyArray<string>,
  marks: ReadonlySet<number>
): Effect.Effect<{ readonly choice: number | undefined; readonly marks: ReadonlySet<number> }> =>
  Effect.callback((resume) =>
    dispatch({
      _tag: "Pick",
      title,
      options,
      selected: 0,
      marks,
      answer: (choice, marks) => resume(Effect.succeed({ choice, marks }))
    })
  )

/** Adds a note to the conversation. */
export const note = ({ dispatch }: ScreenStore, text: string, tone: View.Tone = "info"): Effect.Effect<void> =>
  Effect.sync(() => dispatch({ _tag: "Note", text, tone }))
