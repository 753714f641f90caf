/** Blocks of lines applied to the content of one file: placed, turned into line edits, written. */
import * as Result from "effect/Result"
import type { Block, FileEdit, Hunk } from "./Edit.ts"
import { byPosition, blockChange, hunks, noChangeFailures, newlineAtEnd, noChangeMessage, overlaps } from "./BlockChange.ts"
import { EditError, fail, type Failure } from "./EditError.ts"
import * as Locate from "./Locate.ts"
import { byStart, writeEdits } from "./WriteEdits.ts"
import { blockLocation, placeBlocks } from "./PlaceBlocks.ts"
import { replaceContent } from "./ReplaceContent.ts"

export type Edit = Extract<FileEdit, { readonly _tag: "Update" }>

export interface Options {
  readonly similarity?: number
  readonly replace?: "whole"
  /** Every place of a block should be replaced, not just one. */
  readonly all?: boolean
}

export interface ApplyResult {
  readonly content: string
  readonly hunks: ReadonlyArray<Hunk>
  readonly warnings: ReadonlyArray<string>
}

/**
 * O(content + blocks) unless a block can only be located by similarity. `target` is the content prepared for searching,
 * if that was done already.
 */
export const update = (
  content: string,
  edit: Edit,
  options: Options,
  target?: Locate.Target
): Result.Result<ApplyResult, EditError> => {
  const [block, ...others] = edit.blocks
  const isNewFile = block !== undefined && others.length === 0 && isCreation(block)
  if (isNewFile && (isEmpty(content) || options.replace === "whole")) {
    return block.replace.length === 0 ? Result.fail(fail("NoChange", noChangeMessage, blockLocation(block)))
      : Result.succeed(create(content, block))
  }
  return updateLines(target ?? Locate.target(content), edit, options)
}

const updateLines = (target: Locate.Target, edit: Edit, options: Options): Result.Result<ApplyResult, EditError> => {
  const result = placeBlocks(target, edit.blocks, { similarity: options.similarity, inOrder: edit.inOrder, all: options.all })
  const changes = result.placements.map((placement) => blockChange(target.lines, placement)).sort(byPosition)
  const failures = [...result.failures, ...noChangeFailures(target.lines, changes), ...overlaps(changes)]
  if (failures.length > 0) return Result.fail(refusal(edit, failures))
  const edits = changes.flatMap(({ edits }) => edits).sort(byStart)
  return Result.succeed({
    content: writeEdits(target.lines, edits, newlineAtEnd(target.lines, changes)),
    hunks: hunks(changes, edits),
    warnings: [...result.warnings, ...changes.flatMap(({ warnings }) => warnings)]
  })
}

/** A file that is deleted: what its hunks show must be all of it. */
export const remove = (
  content: string,
  { blocks, path }: Extract<FileEdit, { readonly _tag: "Delete" }>,
  options: Options
): Result.Result<ApplyResult, EditError> => {
  const pathDetails = path === undefined ? {} : { path }
  if (blocks !== undefined && blocks.length > 0) {
    const remainder = update(content, { _tag: "Update", blocks, ...pathDetails }, options)
    if (Result.isFailure(remainder)) return remainder
    if (!isEmpty(remainder.success.content)) {
      return Result.fail(fail("NotFound", "the file has more lines than the patch deletes", pathDetails))
    }
  }
  return Result.succeed(replaceContent(content, ""))
}

/** Nothing but a byte order mark. */
export const isEmpty = (content: string): boolean => content === "" || content === "\ufeff"

/** In formats that don't mark context, nothing to find means a new file. */
const isCreation = ({ keep, search, splits }: Block): boolean => keep === undefined && splits === undefined && search.length === 0

const create = (content: string, { crlf, replace }: Block): ApplyResult => {
  const eol = crlf === true ? "\r\n" : "\n"
  const isUnterminated = !isEmpty(content) && !content.endsWith("\n")
  return replaceContent(content, replace.join(eol) + (isUnterminated ? "" : eol))
}

/** All failures of a file, and the blocks that are not among them. */
const refusal = ({ blocks, path }: Edit, failures: ReadonlyArray<Failure>): EditError => {
  const sortedFailures = failures.toSorted((a, b) => (a.block ?? 0) - (b.block ?? 0))
    .map((failure) => path === undefined ? failure : { path, ...failure })
  const failedBlocks = new Set(failures.map(({ block }) => block))
  return new EditError({
    failures: [sortedFailures[0]!, ...sortedFailures.slice(1)],
    wouldApply: blocks.map(({ index }) => index).filter((index) => !failedBlocks.has(index))
  })
}
