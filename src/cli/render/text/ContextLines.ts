/** Renders a context report: what fills the window by size, then every item with its reason. */
import * as ContextReport from "../../../domain/context/ContextReport.ts"
import { thousands } from "../view/Quantity.ts"
import * as View from "../view/View.ts"

const barWidth = 24

/** A bar for a share between 0 and 1. */
const bar = (share: number): string => "█".repeat(Math.round(Math.min(1, share) * barWidth)).padEnd(barWidth, "·")

const count = (tokens: number): string => tokens.toLocaleString("en-US")

const amount = (tokens: number): string => count(tokens).padStart(8)

/** `hasItems` adds every item to the sums by group. */
export const lines = (report: ContextReport.ContextReport, hasItems: boolean): ReadonlyArray<string> => {
  const { factor, items, model, notes, rules, tokens, usable, window } = report
  return [
    `${View.line(model)}: ${thousands(tokens)} of ${thousands(usable)} usable tokens (context window ${thousands(window)}${
      factor === 1 ? "" : `, estimates scaled by ${factor}`
    })`,
    `${bar(tokens / usable)} ${Math.round(100 * tokens / usable)}%`,
    "",
    ...ContextReport.groups(report).map(([name, sum]) => `${amount(sum)}  ${bar(sum / Math.max(1, tokens))}  ${View.line(name)}`),
    ...(hasItems ? ["", ...items.map(({ name, tokens, why }) => `${amount(tokens)}  ${View.line(name)} — ${why}`)] : []),
    ...(rules.length === 0 ? []
      : ["", `Rules files: ${rules.map(({ path, tokens }) => `${View.line(path)} (${count(tokens)} tokens)`).join(", ")}`]),
    ...(notes.length === 0 ? [] : ["", ...notes.map((note) => `! ${View.line(note)}`)])
  ]
}
