/** The compiled rules of a session: those of its settings and those granted to it. */
import * as Result from "effect/Result"
import * as Rule from "../../domain/approval/Rule.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { Rules } from "../../domain/session/SessionEvent.ts"

/** Where paths of rules begin. */
export interface Folders {
  readonly cwd: string
  readonly home: string
}

interface Entry extends Folders {
  readonly grants: ReadonlyArray<string>
  readonly result: Result.Result<Rule.Compiled, Rule.RuleError>
}

/** Compiled once, from the check of the settings to the last call of the session: rules and grants are new objects when they change. */
const cache = new WeakMap<Rules, Entry>()

/** Rules and grants for a folder; a failure names the rule that can't hold. */
export const compile = (rules: Rules, { cwd, home }: Folders, grants: ReadonlyArray<string> = []): Entry["result"] => {
  const entry = cache.get(rules)
  if (entry !== undefined && entry.cwd === cwd && entry.home === home && hasSameGrants(entry.grants, grants)) return entry.result
  const result = Rule.compile({ ...rules, allow: [...rules.allow, ...grants] }, { root: cwd, home })
  cache.set(rules, { cwd, home, grants, result })
  return result
}

const hasSameGrants = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean => a === b || (a.length === 0 && b.length === 0)

/** Rules are checked before a session begins; one that is invalid nevertheless allows nothing. */
export const of = ({ cwd, grants, home, settings: { rules } }: Pick<Session, "cwd" | "grants" | "home" | "settings">): Rule.Compiled =>
  Result.getOrElse(compile(rules, { cwd, home }, grants), () => denyAll)

const denyAll = Result.getOrThrow(Rule.compile({ allow: [], ask: [], deny: ["*"] }))

/** The session's own folder, and its additional folders. */
export const rootsOf = ({ cwd, settings: { roots = [] } }: Pick<Session, "cwd" | "settings">): ReadonlyArray<string> => [cwd, ...roots]
