/** Confirmation of an action that is hard to undo: a prompt in a terminal; elsewhere it needs a flag. */
import * as Effect from "effect/Effect"
import { UnconfirmedError } from "../process/CliError.ts"
import type { Values } from "../args/Flags.ts"
import { Host } from "../process/Host.ts"

/** Succeeds if the user confirms, or with `--yes`; fails otherwise. `consequence` is what would happen, as sentences. */
export const confirm = Effect.fnUntraced(function*(consequence: string, values: Values) {
  if (values.yes === true) return
  const { stdin, stdout } = yield* Host
  if (!stdin.tty || !stdout.tty)
    return yield* new UnconfirmedError({ message: `${consequence} Nothing was changed. Use --yes to confirm without a prompt.` })
  // Draws a screen, which most commands that may have to ask never do.
  const ChooseOne = yield* Effect.promise(() => import("./ChooseOne.ts"))
  const choice = yield* ChooseOne.choose(yield* ChooseOne.displayOptions(values), `${consequence} Continue?`, ["No", "Yes"])
  if (choice !== 1) return yield* new UnconfirmedError({ message: "Nothing was changed." })
})
