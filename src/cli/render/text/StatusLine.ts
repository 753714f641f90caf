/** The status line: mode, model, tokens of the window, cost, branch, what runs. */
import { cut, thousands, width } from "./BlockLines.ts"
import type { Theme } from "./Theme.ts"
import type { Status } from "../view/View.ts"

/** In the order in which they stand; what is `spared` first goes first where the line is too narrow, 0 never. */
const parts = ({ branch, cached, cost, estimated, mode, model, queued, tokens, window }: Status, running: number, theme: Theme) => [
  { text: theme.accent(mode), spared: 0 },
  { text: model, spared: 0 },
  { text: window === 0 ? (tokens === 0 ? "" : thousands(tokens)) : `${thousands(tokens)}/${thousands(window)}`, spared: 2 },
  { text: cached === 0 ? "" : `${thousands(cached)} cached`, spared: 5 },
  { text: `$${cost.toFixed(cost < 1 ? 4 : 2)}`, spared: 2 },
  { text: estimated ? "estimated" : "", spared: 4 },
  { text: branch === "" ? "" : `⎇ ${branch}`, spared: 6 },
  { text: running === 0 ? "" : theme.accent(`${running} running`), spared: 3 },
  { text: queued === 0 ? "" : theme.warn(`${queued} queued`), spared: 1 }
].filter(({ text }) => text !== "")

const joined = (all: ReturnType<typeof parts>, theme: Theme): string => all.map(({ text }) => text).join(theme.dim(" · "))

/** The whole line. */
export const line = (status: Status, theme: Theme): string => joined(parts(status, 0, theme), theme)

/** As much of it as fits: what matters least goes first, then the model's name is cut. */
export const fitted = (status: Status, running: number, theme: Theme, columns: number): string => {
  let all = parts(status, running, theme)
  while (width(joined(all, theme)) > columns && all.some(({ spared }) => spared > 0)) {
    const least = Math.max(...all.map(({ spared }) => spared))
    all = all.filter(({ spared }) => spared !== least)
  }
  const over = width(joined(all, theme)) - columns
  return over <= 0 ? joined(all, theme)
    : joined(all.map((part) => part.text === status.model ? { ...part, text: cut(status.model, Math.max(8, width(status.model) - over)) } : part), theme)
}
