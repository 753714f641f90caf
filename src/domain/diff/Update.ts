/** Blocks of lines on the content of one file: placed, turned into line edits, written. */
import * as Result from "effect/Result"
import type { Block, FileEdit, Hunk } from "./Edit.ts"
import { byPlace, change, hunks, idle, newlineAtEnd, noChange, overlaps } from "./BlockChange.ts"
import { EditError, fail, type Failure } from "./EditError.ts"
import * as Locate from "./Locate.ts"
import { byStart, rewrite } from "./WriteEdits.ts"
import { at, settle } from "./PlaceBlocks.ts"
import { whole } from "./ReplaceContent.ts"

export type Edit = Extract<FileEdit, { readonly _tag: "Update" }>

export interface Options {
  readonly similarity?: number
  readonly replace?: "whole"
  /** Every place of a block is meant, not one. */
  readonly all?: boolean
}

export interface Applied {
  readonly content: string
  readonly hunks: ReadonlyArray<Hunk>
  readonly warnings: ReadonlyArray<string>
}

/**
 * O(content + blocks) unless a block can only be found by similarity. `target` is the content made ready to be searched,
 * where that has been done already.
 */
export const update = (
  content: string,
  edit: Edit,
  options: Options,
  target?: Locate.Target
): Result.Result<Applied, EditError> => {
  const [only, ...others] = edit.blocks
  const creates = only !== undefined && others.length === 0 && isCreation(only)
  if (creates && (isEmpty(content) || options.replace === "whole")) {
    return only.replace.length === 0 ? Result.fail(fail("NoChange", noChange, at(only))) : Result.succeed(create(content, only))
  }
  return updateLines(target ?? Locate.target(content), edit, options)
}

const updateLines = (target: Locate.Target, edit: Edit, options: Options): Result.Result<Applied, EditError> => {
  const settled = settle(target, edit.blocks, { similarity: options.similarity, inOrder: edit.inOrder, all: options.all })
  const changes = settled.placed.map((placed) => change(target.lines, placed)).sort(byPlace)
  const failures = [...settled.failures, ...idle(target.lines, changes), ...overlaps(changes)]
  if (failures.length > 0) return Result.fail(refusal(edit, failures))
  const edits = changes.flatMap(({ edits }) => edits).sort(byStart)
  return Result.succeed({
    content: rewrite(target.lines, edits, newlineAtEnd(target.lines, changes)),
    hunks: hunks(changes, edits),
    warnings: [...settled.warnings, ...changes.flatMap(({ warnings }) => warnings)]
  })
}

/** A file that goes away: what its hunks show must be all of it. */
export const remove = (
  content: string,
  { blocks, path }: Extract<FileEdit, { readonly _tag: "Delete" }>,
  options: Options
): Result.Result<Applied, EditError> => {
  const named = path === undefined ? {} : { path }
  if (blocks !== undefined && blocks.length > 0) {
    const left = update(content, { _tag: "Update", blocks, ...named }, options)
    if (Result.isFailure(left)) return left
    if (!isEmpty(left.success.content)) {
      return Result.fail(fail("NotFound", "the file has more lines than the patch deletes", named))
    }
  }
  return Result.succeed(whole(content, ""))
}

const isEmpty = (content: string): boolean => content === "" || content === "\ufeff"

/** In the formats that tell no context apart, nothing to find means a new file. */
const isCreation = ({ keep, search, splits }: Block): boolean =>
  keep === undefined && splits === undefined && search.length === 0

const create = (content: string, { crlf, replace }: Block): Applied => {
  const eol = crlf === true ? "\r\n" : "\n"
  const unended = !isEmpty(content) && !content.endsWith("\n")
  return whole(content, replace.join(eol) + (unended ? "" : eol))
}

/** All failures of a file, and the blocks that are not among them. */
const refusal = ({ blocks, path }: Edit, failures: ReadonlyArray<Failure>): EditError => {
  const named = failures.toSorted((a, b) => (a.block ?? 0) - (b.block ?? 0))
    .map((failure) => path === undefined ? failure : { path, ...failure })
  const failed = new Set(failures.map(({ block }) => block))
  return new EditError({
    failures: [named[0]!, ...named.slice(1)],
    wouldApply: blocks.map(({ index }) => index).filter((index) => !failed.has(index))
  })
}
