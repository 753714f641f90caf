/** Lets a prompt accept keys only after a pause, so that a key that was typed for the input line never answers it. */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type { ActivePrompt } from "../render/terminal/Screen.ts"
import type { ScreenStore } from "./ScreenStore.ts"

/** How long a prompt must have been on the screen, and no key been pressed, before it accepts one. */
const quietPeriod = "700 millis"

/** Marks each prompt as ready after the quiet period; runs until it is interrupted. `drawn` is the prompt of the last frame. */
export const run = (store: ScreenStore, drawn: () => ActivePrompt | undefined): Effect.Effect<never> => {
  /** Keys that arrived while something else ran are read first. */
  const isQuiet = Effect.raceFirst(
    Effect.andThen(
      Effect.sleep(quietPeriod),
      Effect.andThen(Effect.yieldNow, Effect.map(Queue.size(store.activity), (keys) => keys === 0))
    ),
    Effect.as(Queue.take(store.activity), false)
  )
  return Queue.take(store.activity).pipe(
    Effect.andThen(Effect.repeat(isQuiet, { until: (quiet) => quiet })),
    Effect.andThen(Effect.sync(() => drawn() !== store.screen().readyPrompt && store.dispatch({ _tag: "Ready", prompt: drawn() }))),
    Effect.forever
  )
}
