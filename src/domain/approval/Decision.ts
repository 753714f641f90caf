/** Combines rules, risk and mode into one decision: run it, ask, or refuse it, with reasons. */
import * as Schema from "effect/Schema"
import type { Access } from "../tool/Access.ts"
import type { Mode } from "./Mode.ts"
import type { Evaluation } from "./Evaluation.ts"
import type { Risk } from "./Risk.ts"

const reasonFields = { reasons: Schema.Array(Schema.String), rule: Schema.optionalKey(Schema.String) }

export const Decision = Schema.TaggedUnion({
  Allow: reasonFields,
  Ask: { ...reasonFields, risk: Schema.Literals(["low", "medium", "high"]) },
  Deny: reasonFields
}).annotate({ identifier: "Decision" })

export type Decision = typeof Decision.Type

export interface DecisionInput {
  readonly mode: Mode
  readonly evaluation: Evaluation
  readonly risk: Risk
  readonly access: Access
}

export const decide = ({ access, evaluation, mode, risk }: DecisionInput): Decision => {
  const { decision, reason, rule, isOpaque = false } = evaluation
  const explain = (...reasons: ReadonlyArray<string>) => ({ reasons: [reason, ...reasons], ...(rule === undefined ? {} : { rule }) })
  if (decision === "deny") return { _tag: "Deny", ...explain() }
  if (mode === "plan" && !isReadOnly(access, risk)) return { _tag: "Deny", reasons: ["plan mode is read-only"] }
  if (decision === "allow") return { _tag: "Allow", ...explain() }
  if (rule === undefined && !isOpaque && isAutoAllowed[mode](access, risk))
    return { _tag: "Allow", reasons: [`${mode} mode allows it: ${risk.level} risk`] }
  // The prompt itself says what the first signal says.
  const reasons = risk.signals.slice(1).filter(({ level }) => level === risk.level).map(({ reason }) => reason)
  return mode === "dontAsk"
    ? { _tag: "Deny", ...explain("dontAsk mode denies calls that need approval") }
    : { _tag: "Ask", ...explain(...reasons), risk: risk.level }
}

/** What each mode allows without a rule or a prompt. */
const isAutoAllowed: Readonly<Record<Mode, (access: Access, risk: Risk) => boolean>> = {
  default: (_, { level }) => level === "low",
  acceptEdits: (access, { level }) => level === "low" || (access._tag === "Edit" && level === "medium"),
  plan: (_, { level }) => level === "low",
  auto: (access, { level, signals }) =>
    level !== "high" || (access._tag === "Command" && signals.every(({ kind }) => kind === "command" || kind === "read")),
  dontAsk: (_, { level }) => level === "low",
  bypassPermissions: () => true
}

/** Reads of the disk and the network, questions, plans, and read-only commands. */
const isReadOnly = (access: Access, { level, signals }: Risk): boolean =>
  access._tag === "Read" || access._tag === "Fetch" ||
  (access._tag === "Command" || access._tag === "Other") && level === "low" && signals.length > 0

/** The strictest of the decisions about everything that one call accesses. */
export const strictest = (decisions: ReadonlyArray<Decision>): Decision =>
  decisions.length === 0
    ? { _tag: "Allow", reasons: ["it accesses nothing"] }
    : decisions.reduce((a, b) => order.indexOf(b._tag) > order.indexOf(a._tag) ? b : a)

const order: ReadonlyArray<Decision["_tag"]> = ["Allow", "Ask", "Deny"]
