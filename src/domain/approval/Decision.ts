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
  /** The risk of what no rule decides; absent: that of the whole call. */
  readonly undecidedRisk?: Risk
  readonly access: Access
}

export const decide = ({ access, evaluation, mode, risk, undecidedRisk = risk }: DecisionInput): Decision => {
  const { decision, reason, rule, isOpaque = false } = evaluation
  const explain = (...reasons: ReadonlyArray<string>) => ({ reasons: [reason, ...reasons], ...(rule === undefined ? {} : { rule }) })
  if (decision === "deny") return { _tag: "Deny", ...explain() }
  if (mode === "plan" && !isReadOnly(access, risk))
    return { _tag: "Deny", reasons: [access._tag === "Command" ? "plan mode runs only commands that read" : "plan mode is read-only"] }
  if (decision === "allow") return { _tag: "Allow", ...explain() }
  if (rule === undefined && !isOpaque && isConfined(access, risk))
    return { _tag: "Allow", reasons: ["it runs in the sandbox, without the network, and names nothing outside the workspace"] }
  if (rule === undefined && !isOpaque && isAutoAllowed[mode](access, undecidedRisk))
    return { _tag: "Allow", reasons: [`${mode} mode allows it: ${undecidedRisk.level} risk`] }
  // The prompt itself says what the first signal says.
  const reasons = [...new Set(risk.signals.slice(1).filter(({ level }) => level === risk.level).map(({ reason }) => reason))]
  return mode === "dontAsk"
    ? { _tag: "Deny", ...explain("dontAsk mode denies calls that need approval") }
    : { _tag: "Ask", ...explain(...reasons), risk: risk.level }
}

/** What each mode allows without a rule or a prompt. */
const isAutoAllowed: Readonly<Record<Mode, (access: Access, risk: Risk) => boolean>> = {
  default: (_, { level }) => level === "low",
  acceptEdits: (access, { level, signals }) =>
    level === "low" || level === "medium" && (access._tag === "Edit" || access._tag === "Command" && signals[0]?.kind === "edit"),
  plan: (_, { level }) => level === "low",
  auto: (access, { level, signals }) =>
    level !== "high" && signals.every(({ kind }) => kind !== "repository") ||
    (access._tag === "Command" && signals.every(({ kind }) => kind === "command" || kind === "read" || kind === "edit")),
  dontAsk: (_, { level }) => level === "low",
  bypassPermissions: () => true
}

/**
 * A command in the sandbox that names nothing which the sandbox leaves open: it confines writing and the network, not reading.
 * Files of git that a command changes are protected there only at the top of a folder.
 */
const isConfined = (access: Access, { signals }: Risk): boolean =>
  access._tag === "Command" && access.confined === true && access.changes === undefined && access.unclear === undefined &&
  !signals.some(({ kind }) => kind === "outside" || kind === "secret")

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
