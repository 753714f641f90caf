/** Rules, risk and mode become one decision: run it, ask for it, or refuse it, with reasons. */
import * as Schema from "effect/Schema"
import type { Access } from "../tool/Access.ts"
import type { Mode } from "./Mode.ts"
import type { Evaluation } from "./Evaluation.ts"
import type { Risk } from "./Risk.ts"

const why = { reasons: Schema.Array(Schema.String), rule: Schema.optionalKey(Schema.String) }

export const Decision = Schema.TaggedUnion({
  Allow: why,
  Ask: { ...why, risk: Schema.Literals(["low", "medium", "high"]) },
  Deny: why
}).annotate({ identifier: "Decision" })

export type Decision = typeof Decision.Type

export interface Question {
  readonly mode: Mode
  readonly evaluation: Evaluation
  readonly risk: Risk
  readonly access: Access
}

export const decide = ({ access, evaluation, mode, risk }: Question): Decision => {
  const { decision, reason, rule, unread = false } = evaluation
  const because = (...reasons: ReadonlyArray<string>) => ({ reasons: [reason, ...reasons], ...(rule === undefined ? {} : { rule }) })
  if (decision === "deny") return { _tag: "Deny", ...because() }
  if (mode === "plan" && !reads(access, risk)) return { _tag: "Deny", reasons: ["plan mode reads alone"] }
  if (decision === "allow") return { _tag: "Allow", ...because() }
  if (rule === undefined && !unread && lowers[mode](access, risk)) return { _tag: "Allow", reasons: [`mode ${mode} runs it: ${risk.level} risk`] }
  const reasons = risk.signals.filter(({ level }) => level === risk.level).map(({ reason }) => reason)
  return mode === "dontAsk"
    ? { _tag: "Deny", ...because("mode dontAsk refuses what would be asked") }
    : { _tag: "Ask", ...because(...reasons), risk: risk.level }
}

/** What each mode runs without a rule and without a question. */
const lowers: Readonly<Record<Mode, (access: Access, risk: Risk) => boolean>> = {
  default: (_, { level }) => level === "low",
  acceptEdits: (access, { level }) => level === "low" || (access._tag === "Edit" && level === "medium"),
  plan: (_, { level }) => level === "low",
  auto: (access, { level, signals }) =>
    level !== "high" || (access._tag === "Command" && signals.every(({ kind }) => kind === "command" || kind === "read")),
  dontAsk: (_, { level }) => level === "low",
  bypassPermissions: () => true
}

/** Reading is reading the disk or the network, asking, planning; and commands that wholly read. */
const reads = (access: Access, { level, signals }: Risk): boolean =>
  access._tag === "Read" || access._tag === "Fetch" || (access._tag === "Command" || access._tag === "Other") && level === "low" && signals.length > 0

/** The strictest of the decisions over all that one call touches. */
export const strictest = (decisions: ReadonlyArray<Decision>): Decision =>
  decisions.length === 0
    ? { _tag: "Allow", reasons: ["it touches nothing"] }
    : decisions.reduce((a, b) => order.indexOf(b._tag) > order.indexOf(a._tag) ? b : a)

const order: ReadonlyArray<Decision["_tag"]> = ["Allow", "Ask", "Deny"]
