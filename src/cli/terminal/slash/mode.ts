/** `/mode`: the permission mode, by name or from a list. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Mode } from "../../../domain/approval/Mode.ts"
import { didYouMean } from "../../args/DidYouMean.ts"
import { UsageError } from "../../process/CliError.ts"
import * as ScreenStore from "../ScreenStore.ts"
import type { SlashContext } from "./SlashContext.ts"

/** Each mode with what it permits. */
const descriptions: Readonly<Record<Mode, string>> = {
  default: "ask before edits and commands",
  acceptEdits: "edit files without asking; ask before commands",
  plan: "read and plan; change nothing",
  auto: "ask only about what is risky",
  dontAsk: "never ask: deny what no rule allows",
  bypassPermissions: "never ask: allow everything that no rule denies"
}

const modes = Object.keys(descriptions) as ReadonlyArray<Mode>

export const mode = Effect.fnUntraced(function*({ conversation, store }: SlashContext, name: string) {
  const current = store.screen().view.status.mode
  if (name !== "") {
    if (!Schema.is(Mode)(name)) {
      return yield* new UsageError({ message: `"${name}" is not a mode; expected one of ${modes.join(", ")}.${didYouMean(name, modes)}` })
    }
    return yield* conversation.setMode(name)
  }
  const rows = modes.map((mode) => `${mode.padEnd(18)} ${descriptions[mode]}${mode === current ? " (current)" : ""}`)
  const choice = yield* ScreenStore.pick(store, "Choose a permission mode", rows, modes.findIndex((mode) => mode === current))
  if (choice !== undefined) yield* conversation.setMode(modes[choice]!)
})
