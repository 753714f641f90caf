/** What rules say about one call, and why. */
import type { Part } from "../tool/CommandLine.ts"
import type { ListName, Rule, RuleList } from "./RuleIndex.ts"

/** Rules that were read, checked and indexed. */
export interface Compiled extends Readonly<Record<ListName, RuleList>> {
  readonly root: string
  readonly home: string
}

export interface Evaluation {
  readonly decision: ListName
  /** The rule that decided, as written; absent when none did, and only then may mode and risk lower an ask. */
  readonly rule?: string
  readonly reason: string
  /** Every part of a command and what it matched, for the approval screen. */
  readonly parts?: ReadonlyArray<PartVerdict>
  /** A command that may run more than could be read, where rules forbid something: never lowered. */
  readonly unread?: boolean
}

export interface PartVerdict extends Omit<Evaluation, "parts" | "unread"> {
  readonly part: Part
}

export const ruled = (rule: Rule, subject: string): Evaluation => ({
  decision: rule.list,
  rule: rule.text,
  reason: rule.justification ?? `${rule.text} ${verbs[rule.list]} ${subject}`
})

const verbs: Readonly<Record<ListName, string>> = { allow: "allows", ask: "asks for", deny: "denies" }

export const noRule = (subject: string): Evaluation => ({ decision: "ask", reason: `no rule allows ${subject}` })

const strictness: Readonly<Record<ListName, number>> = { allow: 0, ask: 1, deny: 2 }

/** The strictest of several; among asks, one that a rule made is kept, since it is not lowered. */
export const strictest = <E extends Omit<Evaluation, "parts">>(evaluations: ReadonlyArray<E>): E | undefined =>
  evaluations.reduce<E | undefined>((a, b) => a === undefined || rank(b) > rank(a) ? b : a, undefined)

const rank = ({ decision, rule }: Omit<Evaluation, "parts">): number => strictness[decision] * 2 + (rule === undefined ? 0 : 1)
