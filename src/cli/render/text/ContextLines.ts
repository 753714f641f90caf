/** A context report as lines: what the window holds, by weight, then every item with its reason. */
import * as Report from "../../../domain/context/ContextReport.ts"
import * as View from "../view/View.ts"

const wide = 24

/** A bar of the share that something takes. */
const bar = (share: number): string => "█".repeat(Math.round(Math.min(1, share) * wide)).padEnd(wide, "·")

const amount = (tokens: number): string => `${tokens}`.padStart(8)

/** `all`: every item; otherwise sums of what belongs together. */
export const lines = (report: Report.Report, all: boolean): ReadonlyArray<string> => {
  const { factor, items, model, notes, tokens, usable, window } = report
  return [
    `${View.text(model)}: ${tokens} of ${usable} usable tokens (window ${window}), one of ours counts ${factor}`,
    `${bar(tokens / usable)} ${Math.round(100 * tokens / usable)}%`,
    "",
    ...Report.groups(report).map(([name, sum]) => `${amount(sum)}  ${bar(sum / Math.max(1, tokens))}  ${View.text(name)}`),
    ...(all ? ["", ...items.map(({ name, tokens, why }) => `${amount(tokens)}  ${View.text(name).replaceAll("\n", " ")} — ${why}`)] : []),
    ...(notes.length === 0 ? [] : ["", ...notes.map((note) => `! ${View.text(note)}`)])
  ]
}
