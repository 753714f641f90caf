/** What a session has used, as lines for people. */
import type { Session } from "../../domain/session/Session.ts"
import * as Usage from "../../domain/session/Usage.ts"
import { thousands } from "./text/BlockLines.ts"

export const lines = ({ answers, budget, cost, settings: { limits }, usage }: Session): ReadonlyArray<string> => {
  const input = Usage.inputTotal(usage)
  return [
    `${answers} ${answers === 1 ? "answer" : "answers"}, $${cost.toFixed(4)}${usage.estimated === true ? " (some of it estimated)" : ""}`,
    `${thousands(input)} tokens in, of which ${input === 0 ? 0 : Math.round(100 * usage.cacheRead / input)}% came from the cache; ${thousands(usage.output)} out`,
    ...(limits.usd === undefined ? [] : [`$${budget.spent.usd.toFixed(4)} of $${limits.usd} of the budget are used`]),
    ...(limits.tokens === undefined ? [] : [`${thousands(budget.spent.tokens)} of ${thousands(limits.tokens)} tokens of the budget are used`])
  ]
}
