/** Edits of several files at once: the outcome of each, or every reason why none is changed. */
import * as Result from "effect/Result"
import { optional } from "../Optional.ts"
import { applyFile, type Options } from "./ApplyFile.ts"
import type { Block, Edits, FileEdit, Hunk } from "./Edit.ts"
import { EditError, fail } from "./EditError.ts"
import { normalizePath } from "./PatchText.ts"

/** The outcome of one file; null if the file does not exist. */
export interface FileChange {
  readonly path: string
  /** Where it is moved, if it moves. */
  readonly moveTo?: string
  readonly oldContent: string | null
  readonly newContent: string | null
  readonly hunks: ReadonlyArray<Hunk>
  readonly warnings: ReadonlyArray<string>
}

/** Contents by path; a missing path is a missing file. */
export type Files = Readonly<Record<string, string>>

/** Every file's outcome in the order of the edits, or all failures of all files. O(contents + edits). */
export const fileChanges = (files: Files, edits: Edits, options: Options = {}): Result.Result<ReadonlyArray<FileChange>, EditError> => {
  const seen = new Set<string>()
  const results = edits.files.map((edit) => ({ edit, result: fileChange(files, edit, seen, options) }))
  const failures = results.flatMap(({ result }) => Result.isFailure(result) ? result.failure.failures : [])
  const [first, ...others] = failures
  if (first === undefined) return Result.succeed(results.flatMap(({ result }) => Result.isSuccess(result) ? [result.success] : []))
  const wouldApply = results.flatMap(({ edit, result }) =>
    Result.isFailure(result) ? result.failure.wouldApply : blocks(edit).map(({ index }) => index)
  )
  return Result.fail(new EditError({ failures: [first, ...others], wouldApply }))
}

/** The files that change, null for deleted ones; a moved file is null at its old path. */
export const applyAll = (
  files: Files,
  edits: Edits,
  options: Options = {}
): Result.Result<{ readonly files: Record<string, string | null>; readonly warnings: ReadonlyArray<string> }, EditError> =>
  Result.map(fileChanges(files, edits, options), (changes) => ({
    files: Object.fromEntries(
      changes.flatMap(({ newContent, moveTo, path }): Array<[string, string | null]> =>
        moveTo === undefined ? [[path, newContent]] : [[path, null], [moveTo, newContent]]
      )
    ),
    warnings: [
      ...edits.warnings,
      ...changes.flatMap(({ path, warnings }) => warnings.map((warning) => `${path}, ${warning}`))
    ]
  }))

const blocks = (edit: FileEdit): ReadonlyArray<Block> => edit._tag === "Update" ? edit.blocks : []

const fileChange = (files: Files, edit: FileEdit, seen: Set<string>, options: Options): Result.Result<FileChange, EditError> => {
  const path = storedPath(files, edit.path)
  if (path === undefined) return Result.fail(fail("OtherFile", "the edit names no file"))
  const oldContent = Object.hasOwn(files, path) ? files[path]! : null
  const destination = "moveTo" in edit && edit.moveTo !== undefined ? storedPath(files, edit.moveTo) : undefined
  const moveTo = destination === path ? undefined : destination
  const error = conflict(files, edit, { path, oldContent, moveTo }, seen)
  if (error !== undefined) return Result.fail(error)
  return Result.mapBoth(applyFile(oldContent ?? "", edit, options), {
    onSuccess: ({ content, hunks, warnings }): FileChange => ({
      path,
      ...optional({ moveTo }),
      oldContent,
      newContent: edit._tag === "Delete" ? null : content,
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

/** The key of a path in the files: as written, else without `./`; the only file if none is named. */
const storedPath = (files: Files, path: string | undefined): string | undefined => {
  if (path !== undefined) return Object.hasOwn(files, path) ? path : normalizePath(path)
  const paths = Object.keys(files)
  return paths.length === 1 ? paths[0] : undefined
}

interface Target {
  readonly path: string
  readonly oldContent: string | null
  readonly moveTo: string | undefined
}

/** Why a file may not be changed this way, before its blocks are examined. */
const conflict = (files: Files, edit: FileEdit, { oldContent, moveTo, path }: Target, seen: Set<string>): EditError | undefined => {
  for (const filePath of moveTo === undefined ? [path] : [path, moveTo]) {
    if (seen.has(filePath)) return fail("PathTwice", "the edits name this file twice", { path: filePath })
    seen.add(filePath)
  }
  if (edit._tag === "Add" && oldContent !== null) {
    return fail("FileExists", "the file already exists: change it instead of adding it", { path })
  }
  if (moveTo !== undefined && Object.hasOwn(files, moveTo)) {
    return fail("FileExists", `the file cannot be moved to ${moveTo}, which already exists`, { path })
  }
  if (oldContent === null && !canCreate(edit)) return fail("FileMissing", "the file does not exist", { path })
  return undefined
}

/** Whether an edit may create its file. */
const canCreate = (edit: FileEdit): boolean =>
  edit._tag === "Add" || edit._tag === "Exact" && edit.oldText === "" ||
  edit._tag === "Update" && edit.blocks.every(({ keep, search }) => keep === undefined && search.length === 0)
