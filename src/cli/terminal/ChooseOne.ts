/** One of a list, chosen on a screen of its own: before a conversation begins, or in a command that needs to know. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import { Settings } from "../../services/Settings.ts"
import * as Desk from "./ScreenStore.ts"
import * as Drawing from "./DrawLoop.ts"
import type { Values } from "../args/Flags.ts"
import { Host } from "../process/Host.ts"
import * as Theme from "../render/text/Theme.ts"
import { Wiring } from "../process/AgentLayers.ts"

/** How the terminal is drawn on: by flags, the user's settings, and what the terminal says of itself. */
export const look = Effect.fnUntraced(function*({ color = "auto", screenReader }: Values) {
  const { cwd, environment: { variables } } = yield* Host
  const { theme } = yield* Effect.provide(Effect.flatMap(Settings, ({ load }) => load(cwd)), (yield* Wiring).records)
  return { theme: Theme.of(color, true, variables, theme), spoken: screenReader === true || variables["TERM"] === "dumb" } satisfies Drawing.Options
})

/** The place of the choice in `options`; undefined where none is wanted. `first` is a line that stands above it. */
export const one = (look: Drawing.Options, title: string, options: ReadonlyArray<string>, first?: string) =>
  Effect.scoped(Effect.gen(function*() {
    const desk = yield* Desk.open
    if (first !== undefined) yield* Desk.note(desk, first)
    const choice = yield* Effect.forkChild(Desk.pick(desk, title, options), { startImmediately: true })
    yield* Drawing.draw(desk, look)
    const wish = yield* Queue.take(desk.wishes)
    if (wish._tag === "Chosen") wish.from.answer(wish.choice)
    return yield* Fiber.join(choice)
  }))
