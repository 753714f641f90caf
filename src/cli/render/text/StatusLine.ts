/** The status line: mode, model, context tokens, cost, branch, running work. */
import { cut, thousands, width } from "./BlockLines.ts"
import * as ModeText from "./ModeText.ts"
import type { Theme } from "./Theme.ts"
import type { SafeText, Status } from "../view/View.ts"
import type { Session } from "../../../domain/session/Session.ts"
import * as Usage from "../../../domain/session/Usage.ts"

/** The parts in display order. On a narrow line the highest `priority` is left out first, 0 never. */
const parts = ({ branch, cached, cost, effort, estimated, mode, model, queued, tokens, window }: Status, running: number, theme: Theme) =>
  [
    { text: theme.accent(ModeText.name(mode)), priority: 0 },
    { text: modelName({ effort, model }), priority: 0 },
    { text: window === 0 ? (tokens === 0 ? "" : thousands(tokens)) : `${thousands(tokens)}/${thousands(window)}`, priority: 3 },
    { text: cached === 0 ? "" : `${thousands(cached)} cached`, priority: 7 },
    { text: `$${cost.toFixed(cost < 1 ? 4 : 2)}`, priority: 4 },
    { text: estimated ? "estimated" : "", priority: 5 },
    { text: branch === "" ? "" : `⎇ ${branch}`, priority: 6 },
    { text: running === 0 ? "" : theme.accent(`${running} running`), priority: 2 },
    { text: queued === 0 ? "" : theme.warn(`${queued} queued`), priority: 1 }
  ].filter(({ text }) => text !== "")

/** The model that answers, with the effort that the user chose for it. */
export const modelName = ({ effort, model }: Pick<Status, "effort" | "model">): SafeText =>
  model === effort.model ? `${model}${effort.suffix}` as SafeText : model

const join = (all: ReturnType<typeof parts>, theme: Theme): string => all.map(({ text }) => text).join(theme.dim(" · "))

/** The whole line. */
export const statusLine = (status: Status, theme: Theme): string => join(parts(status, 0, theme), theme)

/** As much of the line as fits: the least important parts are dropped, then the model's name is truncated. */
export const fit = (status: Status, running: number, theme: Theme, columns: number): string => {
  let all = parts(status, running, theme)
  while (width(join(all, theme)) > columns && all.some(({ priority }) => priority > 0)) {
    const lowest = Math.max(...all.map(({ priority }) => priority))
    all = all.filter(({ priority }) => priority !== lowest)
  }
  const excess = width(join(all, theme)) - columns
  const name = modelName(status)
  return excess <= 0 ? join(all, theme)
    : join(
      all.map((part) => part.text === name ? { ...part, text: cut(name, Math.max(8, width(name) - excess)) } : part),
      theme
    )
}

/** The usage of a session, for `/cost`. */
export const lines = ({ assistantMessageCount, budget, cost, settings: { limits }, usage }: Session): ReadonlyArray<string> => {
  const input = Usage.inputTotal(usage)
  return [
    `${assistantMessageCount} ${assistantMessageCount === 1 ? "response" : "responses"}, $${cost.toFixed(4)}${
      usage.estimated === true ? " (some of it estimated)" : ""
    }`,
    `${thousands(input)} input tokens (${input === 0 ? 0 : Math.round(100 * usage.cacheRead / input)}% from the cache), ${
      thousands(usage.output)
    } output tokens`,
    ...(limits.usd === undefined ? [] : [`Budget: $${budget.spent.usd.toFixed(4)} of $${limits.usd} used`]),
    ...(limits.tokens === undefined ? [] : [`Budget: ${thousands(budget.spent.tokens)} of ${thousands(limits.tokens)} tokens used`])
  ]
}
