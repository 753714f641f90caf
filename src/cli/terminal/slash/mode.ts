/** `/mode`: the permission mode, by name or from a list. */
import * as Effect from "effect/Effect"
import type { Mode } from "../../../domain/approval/Mode.ts"
import { didYouMean } from "../../args/DidYouMean.ts"
import { UsageError } from "../../process/CliError.ts"
import * as ModeText from "../../render/text/ModeText.ts"
import * as ScreenStore from "../ScreenStore.ts"
import type { SlashContext } from "./SlashContext.ts"

const modes = Object.keys(ModeText.descriptions) as ReadonlyArray<Mode>

export const mode = Effect.fnUntraced(function*({ conversation, store }: SlashContext, name: string) {
  const current = store.screen().view.status.mode
  if (name !== "") {
    const chosen = ModeText.parse(name)
    if (chosen !== undefined) return yield* conversation.setMode(chosen)
    const names = modes.map(ModeText.name)
    return yield* new UsageError({ message: `"${name}" is not a mode; expected one of ${names.join(", ")}.${didYouMean(name, names)}` })
  }
  const rows = modes.map((mode) =>
    `${ModeText.name(mode).padEnd(18)} ${ModeText.descriptions[mode]}${mode === current ? " (current)" : ""}`
  )
  const choice = yield* ScreenStore.pick(store, "Choose a permission mode", rows, modes.findIndex((mode) => mode === current))
  if (choice !== undefined) yield* conversation.setMode(modes[choice]!)
})
