/** The rules of a session, compiled: its settings' and what was granted to it. */
import * as Result from "effect/Result"
import * as Rule from "../../domain/approval/Rule.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { Rules } from "../../domain/session/SessionEvent.ts"

/** Compiled once for rules and grants; both are new objects when they change. */
const compiled = new WeakMap<Rules, { readonly grants: ReadonlyArray<string>; readonly rules: Rule.Compiled }>()

export const of = ({ cwd, grants, home, settings: { rules } }: Pick<Session, "cwd" | "grants" | "home" | "settings">): Rule.Compiled => {
  const known = compiled.get(rules)
  if (known?.grants === grants) return known.rules
  const made = Rule.compile({ ...rules, allow: [...rules.allow, ...grants] }, { root: cwd, home })
  // Rules are checked before a session begins; what is wrong all the same allows nothing.
  const safe = Result.isSuccess(made) ? made.success : Result.getOrThrow(Rule.compile({ allow: [], ask: [], deny: ["*"] }))
  compiled.set(rules, { grants, rules: safe })
  return safe
}
