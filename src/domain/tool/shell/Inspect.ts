/** What one command does with its arguments: the files it names, and the options that make it more than its name. */
import type { Hazard, Touch } from "./Part.ts"
import type { Word } from "./Syntax.ts"

export interface Inspection {
  readonly core: ReadonlyArray<Word>
  readonly touches: ReadonlyArray<Touch>
  readonly hazards: ReadonlyArray<Hazard>
  readonly readOnly: boolean
}

export const inspect = (_name: string | undefined, words: ReadonlyArray<Word>): Inspection => ({ core: words, touches: [], hazards: [], readOnly: false })
