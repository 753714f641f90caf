/** `/status`: the session, its model, mode and folder, and what it has used. */
import * as Effect from "effect/Effect"
import * as Model from "../../../domain/provider/Model.ts"
import { Agent } from "../../../services/Agent.ts"
import { Environment } from "../../../services/Environment.ts"
import * as BlockLines from "../../render/text/BlockLines.ts"
import * as ModeText from "../../render/text/ModeText.ts"
import * as StatusLine from "../../render/text/StatusLine.ts"
import * as ScreenStore from "../ScreenStore.ts"
import type { SlashContext } from "./SlashContext.ts"

export const status = Effect.fnUntraced(function*({ conversation, cwd, store }: SlashContext) {
  const { version } = yield* Environment
  const { status } = store.screen().view
  const { mode, tokens, window } = status
  const id = conversation.id()
  const session = id === undefined ? undefined : yield* (yield* Agent).state(id)
  const roots = session?.settings.roots ?? []
  const rows: ReadonlyArray<readonly [string, string | undefined]> = [
    ["Version", version],
    ["Folder", [cwd, ...roots].join(", ")],
    ["Session", session === undefined ? "starts with your first message" : `${session.id} (${session.title})`],
    ["Model", session === undefined ? StatusLine.modelName(status) : Model.nameWithEffort(session.settings.model)],
    ["Plan model", session?.settings.plan && Model.nameWithEffort(session.settings.plan.model)],
    ["Fallback", session?.settings.fallback && Model.nameWithEffort(session.settings.fallback.model)],
    ["Tools", session?.settings.toolFormat],
    ["Agent", session?.settings.agent],
    ["Mode", ModeText.name(mode)],
    ["Context", window === 0 ? undefined : `${BlockLines.thousands(tokens)} of ${BlockLines.thousands(window)} tokens`]
  ]
  yield* ScreenStore.note(
    store,
    [
      ...rows.flatMap(([name, value]) => value === undefined ? [] : [`${name.padEnd(11)} ${value}`]),
      ...(session === undefined ? [] : StatusLine.lines(session))
    ].join("\n")
  )
})
