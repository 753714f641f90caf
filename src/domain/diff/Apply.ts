/**
 * Applies edits to one file or to many: all of them or none. Every outcome says which lines changed and how they were
 * found; every failure says which block, why, and what is nearest to it.
 */
import type * as Result from "effect/Result"
import { type Applied, applyOne, type Options } from "./ApplyFile.ts"
import type { Edits } from "./Edit.ts"
import type { EditError } from "./EditError.ts"

export { applyAll, type Files, type Outcome, outcomes } from "./ApplyAll.ts"
export type { Applied, Options } from "./ApplyFile.ts"
export { invert, invertAll } from "./Invert.ts"
export { initial as preview } from "./StreamPreview.ts"
export { print } from "./PrintDiff.ts"

/**
 * Applies the edits of one file to its content; a missing file is `""`, and so is what is left of a deleted one.
 * O(content + edits) unless a block can only be found by similarity.
 */
export const apply = (content: string, edits: Edits, options: Options = {}): Result.Result<Applied, EditError> =>
  applyOne(content, edits, options)
