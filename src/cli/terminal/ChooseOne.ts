/** A list to choose from, before a conversation starts or within a command. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import { Settings } from "../../services/Settings.ts"
import * as ScreenStore from "./ScreenStore.ts"
import * as DrawLoop from "./DrawLoop.ts"
import type { Values } from "../args/Flags.ts"
import { Host } from "../process/Host.ts"
import * as Picker from "../render/terminal/Picker.ts"
import * as Theme from "../render/text/Theme.ts"
import { AgentLayers } from "../process/AgentLayers.ts"

/** The display options, from flags, the user's settings and the terminal's variables. */
export const displayOptions = Effect.fnUntraced(function*({ color = "auto", screenReader }: Values) {
  const { cwd, environment: { variables } } = yield* Host
  const { theme } = yield* Effect.provide(Effect.flatMap(Settings, ({ load }) => load(cwd)), (yield* AgentLayers).records)
  return {
    theme: Theme.of(color, true, variables, theme),
    isScreenReader: screenReader === true || variables["TERM"] === "dumb"
  } satisfies DrawLoop.Options
})

/**
 * The index of the chosen option; undefined if the user cancels. `intro` is a line above the list. Text typed before the list was
 * drawn goes back to standard input.
 */
export const choose = Effect.fnUntraced(
  function*(display: DrawLoop.Options, title: string, options: ReadonlyArray<string>, intro?: string) {
    const { choice } = yield* onScreen(
      display,
      (store) => Effect.map(ScreenStore.pick(store, title, options), (choice) => ({ choice })),
      intro
    )
    return choice
  }
)

/** What `pick` returns, on a screen of its own. */
export const onScreen = Effect.fnUntraced(
  function*<A>(display: DrawLoop.Options, pick: (store: ScreenStore.ScreenStore) => Effect.Effect<A>, intro?: string) {
    const { terminal: { stdin } } = yield* Host
    const store = yield* ScreenStore.open
    const choice = yield* Effect.scoped(Effect.gen(function*() {
      if (intro !== undefined) yield* ScreenStore.note(store, intro)
      const choice = yield* Effect.forkChild(pick(store), { startImmediately: true })
      yield* DrawLoop.draw(store, display)
      const action = yield* Queue.take(store.actions)
      if (action._tag === "Choose") Picker.choose(action.from, action.choice)
      return yield* Fiber.join(choice)
    }))
    const typeahead = store.screen().editor.text.trimEnd()
    if (typeahead !== "") stdin.unshift(typeahead)
    return choice
  }
)
