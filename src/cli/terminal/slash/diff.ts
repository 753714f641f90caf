/** `/diff`: what this session has changed in the files so far. */
import * as Effect from "effect/Effect"
import { Checkpoints } from "../../../services/Checkpoints.ts"
import * as BlockLines from "../../render/text/BlockLines.ts"
import * as ScreenStore from "../ScreenStore.ts"
import { sessionId, type SlashContext } from "./SlashContext.ts"

export const diff = Effect.fnUntraced(function*(context: SlashContext) {
  const { store } = context
  const checkpoints = yield* Checkpoints
  const [first] = yield* checkpoints.list(yield* sessionId(context))
  const { counts, patch } = first === undefined ? { counts: undefined, patch: "" } : yield* checkpoints.diff(first.id)
  if (counts === undefined || patch === "") return yield* ScreenStore.note(store, "No file has changed in this session.")
  yield* ScreenStore.note(store, `${BlockLines.plural(counts.files, "file")} changed in this session: +${counts.added} -${counts.removed}`)
  store.dispatch({ _tag: "Patch", patch: patch.trimEnd() })
})
