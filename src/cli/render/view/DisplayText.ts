/** Foreign text as renderers take it, whole or while it comes. Reached by others as `View.text`. */
import type * as Brand from "effect/Brand"
import * as Printable from "../../../domain/message/SafeText.ts"

/** Printable text without tabs, whose width no renderer could know. */
export type Shown = string & Brand.Brand<"Shown">

export const text = (foreign: string): Shown => untabbed(Printable.of(foreign))

const untabbed = (printable: string): Shown => printable.replaceAll("\t", "    ") as Shown

/** Text that is still coming, cut anywhere: `held` waits for the rest of an escape or a character. */
export interface Flow {
  readonly shown: Shown
  readonly held: Printable.State
}

export const still: Flow = { shown: "" as Shown, held: Printable.initial }

export const flow = ({ held, shown }: Flow, foreign: string): Flow => {
  const [next, printable] = Printable.push(held, foreign)
  return { held: next, shown: shown + untabbed(printable) as Shown }
}

/** The end of it. */
export const tail = ({ held, shown }: Flow, characters: number): Flow => ({ held, shown: shown.slice(-characters) as Shown })
