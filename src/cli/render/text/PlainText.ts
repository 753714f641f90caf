/** Text without a terminal: what a screen would print once, line by line, for `--verbose` on standard error. */
import type { Followed, Settled } from "../../../domain/session/SessionEvent.ts"
import * as Lines from "./BlockLines.ts"
import type { Theme } from "./Theme.ts"
import * as View from "../view/View.ts"

/** A view, and how much of it was told. */
export interface Progress {
  readonly view: View.View
  readonly told: number
}

/** What is told unasked: that the work goes on otherwise than was asked, or not at all for a while. */
export const matters = (event: Settled): boolean =>
  event._tag === "FallbackTaken" || event._tag === "ModelWaiting" || (event._tag === "ToolsChanged" && event.notes.length > 0) || (event._tag === "SessionStarted" && event.settings.model.assumed === true)

export const initial = (): Progress => ({ view: View.initial(), told: 0 })

/** The next state, and the lines that came with an event; none with most. */
export const update = ({ told, view }: Progress, followed: Followed, theme: Theme): readonly [Progress, string] => {
  const next = View.update(view, followed)
  const fresh = next.blocks.slice(told).flatMap((block) => Lines.block(block, theme))
  return [{ view: next, told: next.blocks.length }, fresh.map((line) => `${line}\n`).join("")]
}
