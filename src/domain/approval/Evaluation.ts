/** The outcome of the rules for one call, with its reason. */
import type { SimpleCommand } from "../tool/CommandLine.ts"
import type { ListName, Rule, RuleIndex } from "./RuleIndex.ts"

/** Parsed, checked and indexed rules. */
export interface Compiled extends Readonly<Record<ListName, RuleIndex>> {
  readonly root: string
  readonly home: string
}

export interface Evaluation {
  readonly decision: ListName
  /** The rule that decided, as written. Only without one may mode and risk turn an ask into an allow. */
  readonly rule?: string
  readonly reason: string
  /** The parts of a command, each with its verdict, for the approval prompt. */
  readonly parts?: ReadonlyArray<PartVerdict>
  /** The parts of a command that no rule decides, if nothing else needs approval: mode and risk decide on these alone. */
  readonly undecided?: ReadonlyArray<SimpleCommand>
  /** The command may run more than its text shows, and rules deny something: an ask stays an ask. */
  readonly isOpaque?: boolean
}

export interface PartVerdict extends Omit<Evaluation, "parts" | "undecided" | "isOpaque"> {
  readonly part: SimpleCommand
}

export const ruleEvaluation = (rule: Rule, subject: string): Evaluation => ({
  decision: rule.list,
  rule: rule.text,
  reason: rule.justification ?? `the rule ${rule.text} ${verbs[rule.list]} ${subject}`
})

const verbs: Readonly<Record<ListName, string>> = { allow: "allows", ask: "requires approval for", deny: "denies" }

/** The verdict where no rule matches. */
export const noRule = (subject: string): Evaluation => ({ decision: "ask", reason: `no rule allows ${subject}` })

const strictness: Readonly<Record<ListName, number>> = { allow: 0, ask: 1, deny: 2 }

/** The strictest of several; among asks one that a rule made, since it stays an ask. */
export const strictest = <E extends Omit<Evaluation, "parts">>(evaluations: ReadonlyArray<E>): E | undefined =>
  evaluations.reduce<E | undefined>((a, b) => a === undefined || rank(b) > rank(a) ? b : a, undefined)

const rank = ({ decision, rule }: Omit<Evaluation, "parts">): number => strictness[decision] * 2 + (rule === undefined ? 0 : 1)
