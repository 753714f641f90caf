/** Renders a run as lines for `--verbose` on standard error, without a terminal. */
import type { Followed, Settled } from "../../../domain/session/SessionEvent.ts"
import * as BlockLines from "./BlockLines.ts"
import * as View from "../view/View.ts"

/** A view, and how many of its blocks are printed. */
export interface ProgressState {
  readonly view: View.View
  readonly printedBlocks: number
}

/** A pause before a retry that makes a person wonder, in ms. */
const longPauseMs = 5_000

/** Events that are reported without `--verbose`: the run is delayed, or continues differently from what was asked. */
export const isImportant = (event: Settled): boolean =>
  event._tag === "FallbackTaken" || event._tag === "ModelWaiting" || (event._tag === "ModelRetrying" && event.delayMs >= longPauseMs) ||
  (event._tag === "ToolsChanged" && event.notes.length > 0) ||
  (event._tag === "SessionStarted" && event.settings.model.assumed === true)

export const initial = (): ProgressState => ({ view: View.initial(), printedBlocks: 0 })

/** The next state, and the lines that an event adds. */
export const update = (
  { printedBlocks, view }: ProgressState,
  followed: Followed,
  renderer: BlockLines.Renderer
): readonly [ProgressState, string] => {
  const next = View.update(view, followed)
  const newLines = next.blocks.slice(printedBlocks).flatMap((block) => BlockLines.blockLines(block, renderer))
  return [{ view: next, printedBlocks: next.blocks.length }, newLines.map((line) => `${line}\n`).join("")]
}
