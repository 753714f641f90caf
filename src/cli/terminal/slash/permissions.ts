/** `/permissions`: the mode, the rules in effect with the file of each, and what was allowed for this session. */
import * as Effect from "effect/Effect"
import { Agent } from "../../../services/Agent.ts"
import { Settings } from "../../../services/Settings.ts"
import * as ModeText from "../../render/text/ModeText.ts"
import * as ScreenStore from "../ScreenStore.ts"
import type { SlashContext } from "./SlashContext.ts"

export const permissions = Effect.fnUntraced(function*({ conversation, cwd, isRemote, store }: SlashContext) {
  const rules = isRemote ? { allow: [], ask: [], deny: [] } : (yield* (yield* Settings).load(cwd)).rules
  const id = conversation.id()
  const session = id === undefined ? undefined : yield* (yield* Agent).state(id)
  const lists = (["deny", "ask", "allow"] as const).map((decision) => {
    const stored = rules[decision]
    const names = new Set(stored.map(({ rule }) => rule))
    const grants = decision === "allow" ? session?.grants ?? [] : []
    const sessionRules = (session?.settings.rules[decision] ?? []).map((rule) => typeof rule === "string" ? rule : rule.rule)
    const isInEffect = (rule: string) => session === undefined || sessionRules.includes(rule) || grants.includes(rule)
    return [decision, [
      ...stored.map(({ file, rule }) => `${rule} (${file}${isInEffect(rule) ? "" : "; in new sessions"})`),
      ...sessionRules.filter((rule) => !names.has(rule)).map((rule) => `${rule} (this run)`),
      ...grants.map((rule) => `${rule} (this session)`)
    ]] as const
  })
  yield* ScreenStore.note(
    store,
    [
      `Mode: ${ModeText.name(store.screen().view.status.mode)}. Change it with /mode or Shift-Tab.`,
      ...lists.flatMap(([decision, rows]) => rows.length === 0 ? [] : [`${decision}:`, ...rows.map((row) => `  ${row}`)]),
      ...(lists.every(([, rows]) => rows.length === 0) ? ["No rules. Answering an approval with \"don't ask again\" adds one."] : []),
      isRemote ? "To edit the rules of the server: dacapo config set there, or its page"
        : "To edit the rules: /config permissions.allow [\"Bash(npm test:*)\"]"
    ].join("\n")
  )
})
