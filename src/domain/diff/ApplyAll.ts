/** Edits of several files at once: what each becomes, or every reason why none is touched. */
import * as Result from "effect/Result"
import { applyFile, type Options } from "./ApplyFile.ts"
import type { Block, Edits, FileEdit, Hunk } from "./Edit.ts"
import { EditError, fail } from "./EditError.ts"
import { normal } from "./PatchPath.ts"

/** What becomes of one file; null is a file that is not there. */
export interface Outcome {
  readonly path: string
  /** Where it lands, if it moves. */
  readonly moveTo?: string
  readonly before: string | null
  readonly after: string | null
  readonly hunks: ReadonlyArray<Hunk>
  readonly warnings: ReadonlyArray<string>
}

/** Contents by path; a path that is not there is a file that is not there. */
export type Files = Readonly<Record<string, string>>

/** Every file's outcome in the order of the edits, or all failures of all files. O(contents + edits). */
export const outcomes = (files: Files, edits: Edits, options: Options = {}): Result.Result<ReadonlyArray<Outcome>, EditError> => {
  const claimed = new Set<string>()
  const done = edits.files.map((edit) => ({ edit, result: outcome(files, edit, claimed, options) }))
  const failures = done.flatMap(({ result }) => Result.isFailure(result) ? result.failure.failures : [])
  const [first, ...others] = failures
  if (first === undefined) return Result.succeed(done.flatMap(({ result }) => Result.isSuccess(result) ? [result.success] : []))
  const wouldApply = done.flatMap(({ edit, result }) =>
    Result.isFailure(result) ? result.failure.wouldApply : blocks(edit).map(({ index }) => index)
  )
  return Result.fail(new EditError({ failures: [first, ...others], wouldApply }))
}

/** The files that change, null for those that go; a moved file is null at its old path. */
export const applyAll = (
  files: Files,
  edits: Edits,
  options: Options = {}
): Result.Result<{ readonly files: Record<string, string | null>; readonly warnings: ReadonlyArray<string> }, EditError> =>
  Result.map(outcomes(files, edits, options), (made) => ({
    files: Object.fromEntries(made.flatMap(({ after, moveTo, path }): Array<[string, string | null]> =>
      moveTo === undefined ? [[path, after]] : [[path, null], [moveTo, after]]
    )),
    warnings: [
      ...edits.warnings,
      ...made.flatMap(({ path, warnings }) => warnings.map((warning) => `${path}, ${warning}`))
    ]
  }))

const blocks = (edit: FileEdit): ReadonlyArray<Block> => edit._tag === "Update" ? edit.blocks : []

const outcome = (files: Files, edit: FileEdit, claimed: Set<string>, options: Options): Result.Result<Outcome, EditError> => {
  const path = keyOf(files, edit.path)
  if (path === undefined) return Result.fail(fail("OtherFile", "the edit names no file"))
  const before = Object.hasOwn(files, path) ? files[path]! : null
  const moved = "moveTo" in edit && edit.moveTo !== undefined ? keyOf(files, edit.moveTo) : undefined
  const moveTo = moved === path ? undefined : moved
  const refused = refuse(files, edit, { path, before, moveTo }, claimed)
  if (refused !== undefined) return Result.fail(refused)
  return Result.mapBoth(applyFile(before ?? "", edit, options), {
    onSuccess: ({ content, hunks, warnings }): Outcome => ({
      path,
      ...(moveTo === undefined ? {} : { moveTo }),
      before,
      after: edit._tag === "Delete" ? null : content,
      hunks,
      warnings
    }),
    onFailure: (error) =>
      new EditError({
        failures: [{ path, ...error.failures[0] }, ...error.failures.slice(1).map((failure) => ({ path, ...failure }))],
        wouldApply: error.wouldApply
      })
  })
}

/** The key under which the files have a path: as it is written, else without `./`; the only file where none is named. */
const keyOf = (files: Files, path: string | undefined): string | undefined => {
  if (path !== undefined) return Object.hasOwn(files, path) ? path : normal(path)
  const paths = Object.keys(files)
  return paths.length === 1 ? paths[0] : undefined
}

interface Target {
  readonly path: string
  readonly before: string | null
  readonly moveTo: string | undefined
}

/** Why a file may not be touched so, before its blocks are looked at. */
const refuse = (files: Files, edit: FileEdit, { before, moveTo, path }: Target, claimed: Set<string>): EditError | undefined => {
  for (const each of moveTo === undefined ? [path] : [path, moveTo]) {
    if (claimed.has(each)) return fail("PathTwice", "the edits name this file twice", { path: each })
    claimed.add(each)
  }
  if (edit._tag === "Add" && before !== null) {
    return fail("FileExists", "the file exists already: change it instead of adding it", { path })
  }
  if (moveTo !== undefined && Object.hasOwn(files, moveTo)) {
    return fail("FileExists", `the file cannot move to ${moveTo}, which exists already`, { path })
  }
  if (before === null && !makes(edit)) return fail("FileMissing", "there is no such file", { path })
  return undefined
}

/** Whether an edit may make its file. */
const makes = (edit: FileEdit): boolean =>
  edit._tag === "Add" || edit._tag === "Exact" && edit.oldText === "" ||
  edit._tag === "Update" && edit.blocks.every(({ keep, search }) => keep === undefined && search.length === 0)
