/**
 * An edit engine without tolerance: what is searched for must stand in the file exactly once, and a diff shows a file's
 * whole content as removed and added. It reads SEARCH/REPLACE blocks only.
 */
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { ApplyResult, FileChange } from "../../domain/diff/Apply.ts"
import type { Block, Edits, FileEdit, Hunk } from "../../domain/diff/Edit.ts"
import { EditError, fail, type Failure } from "../../domain/diff/EditError.ts"
import { Diff } from "../../services/Diff.ts"

export const layer: Layer.Layer<Diff> = Layer.sync(Diff, () => ({
  parse: (text) => {
    const blocks = [...text.matchAll(/^------- SEARCH\n(.*?)^=======\n(.*?)^\+{7} REPLACE$/gms)].map((
      [, search = "", replace = ""],
      i
    ): Block => ({
      index: i + 1,
      search: lines(search),
      replace: lines(replace)
    }))
    return blocks.length === 0 ? Result.fail(fail("NoEdit", "the input contains no SEARCH/REPLACE block"))
      : Result.succeed({ format: "search-replace", files: [{ _tag: "Update", blocks }], warnings: [] })
  },
  exact: ({ new_text, old_text, replace_all = false }) =>
    old_text === new_text ? Result.fail(fail("NoChange", "old_text and new_text are equal"))
      : Result.succeed({
        format: "exact",
        files: [{ _tag: "Exact", oldText: old_text, newText: new_text, all: replace_all }],
        warnings: []
      }),
  apply: (content, { files: [edit, ...others] }) =>
    edit === undefined || others.length > 0 ? Result.fail(fail("OtherFile", "the input does not edit one file")) : applyFile(content, edit),
  applyAll: (files, edits) =>
    all(edits, (edit) => {
      const { path = "" } = edit
      const oldContent = Object.hasOwn(files, path) ? files[path]! : null
      return Result.map(applyFile(oldContent ?? "", edit), ({ content, hunks, warnings }): FileChange => ({
        path,
        ...("moveTo" in edit && edit.moveTo !== undefined ? { moveTo: edit.moveTo } : {}),
        oldContent,
        newContent: edit._tag === "Delete" ? null : content,
        hunks,
        warnings
      }))
    }),
  print: (path, before, after, oldPath = path) =>
    before === after ? "" : [
      `diff --git a/${oldPath} b/${path}\n`,
      `--- ${before === null ? "/dev/null" : `a/${oldPath}`}\n`,
      `+++ ${after === null ? "/dev/null" : `b/${path}`}\n`,
      `@@ -${range(before)} +${range(after)} @@\n`,
      ...marked("-", before),
      ...marked("+", after)
    ].join("")
}))

const lines = (text: string): ReadonlyArray<string> => text === "" ? [] : text.replace(/\n$/, "").split("\n")

const range = (text: string | null): string => text === null || text === "" ? "0,0" : `1,${lines(text).length}`

const marked = (mark: string, text: string | null): ReadonlyArray<string> =>
  text === null || text === "" ? []
    : [...lines(text).map((line) => `${mark}${line}\n`), ...(text.endsWith("\n") ? [] : ["\\ No newline at end of file\n"])]

/** The outcomes of all edits, or every failure. */
const all = <A>(edits: Edits, apply: (edit: FileEdit) => Result.Result<A, EditError>): Result.Result<ReadonlyArray<A>, EditError> => {
  const results = edits.files.map(apply)
  const [first, ...others] = results.flatMap((result) => Result.isFailure(result) ? result.failure.failures : [])
  return first === undefined ? Result.succeed(results.flatMap((result) => Result.isSuccess(result) ? [result.success] : []))
    : Result.fail(new EditError({ failures: [first, ...others], wouldApply: [] }))
}

const applyFile = (content: string, edit: FileEdit): Result.Result<ApplyResult, EditError> => {
  switch (edit._tag) {
    case "Add":
      return content === "" ? Result.succeed(replaced("", edit.content)) : Result.fail(fail("FileExists", "the file already exists"))
    case "Delete":
      return Result.succeed(replaced(content, ""))
    case "Exact":
      return exact(content, edit)
    case "Restore":
      return content.startsWith(edit.remove, edit.at)
        ? Result.succeed(replaced(content, content.slice(0, edit.at) + edit.insert + content.slice(edit.at + edit.remove.length)))
        : Result.fail(fail("NotFound", "the file has changed since the edit that should be undone"))
    case "Update":
      return update(content, edit.blocks)
  }
}

const exact = (
  content: string,
  { all, newText, oldText }: Extract<FileEdit, { readonly _tag: "Exact" }>
): Result.Result<ApplyResult, EditError> => {
  if (oldText === "")
    return content === "" ? Result.succeed(replaced(content, newText)) : Result.fail(fail("NotEmpty", "the file has content"))
  const pieces = content.split(oldText)
  return pieces.length === 1 ? Result.fail(fail("NotFound", "the text does not occur", { block: 1 }))
    : pieces.length > 2 && !all ? Result.fail(fail("Ambiguous", `the text occurs ${pieces.length - 1} times`, { block: 1 }))
    : Result.succeed(replaced(content, pieces.join(newText)))
}

/** Blocks are found in the content as it was, each at its only place. */
const update = (content: string, blocks: ReadonlyArray<Block>): Result.Result<ApplyResult, EditError> => {
  const text = `\n${content.endsWith("\n") || content === "" ? content : `${content}\n`}`
  const places = blocks.map(({ index, replace, search }) => {
    const searchText = `\n${search.map((line) => `${line}\n`).join("")}`
    const at = text.indexOf(searchText)
    const failure: Failure | undefined = at < 0 ? { reason: "NotFound", message: "the lines do not occur", block: index }
      : text.indexOf(searchText, at + 1) >= 0 ? { reason: "Ambiguous", message: "the lines occur more than once", block: index }
      : undefined
    return { at, index, replace, search, failure }
  })
  const [first, ...others] = places.flatMap(({ failure }) => failure === undefined ? [] : [failure])
  if (first !== undefined) {
    const wouldApply = places.flatMap(({ failure, index }) => failure === undefined ? [index] : [])
    return Result.fail(new EditError({ failures: [first, ...others], wouldApply }))
  }
  const result: Array<string> = []
  const hunks: Array<Hunk> = []
  const oldLines = lines(content)
  let line = 0
  for (const { at, replace, search } of places.toSorted((a, b) => a.at - b.at)) {
    const start = text.slice(0, at + 1).split("\n").length - 2
    result.push(...oldLines.slice(line, start))
    hunks.push({ oldStart: start + 1, oldLines: search.length, newStart: result.length + 1, newLines: replace.length, strategy: "exact" })
    result.push(...replace)
    line = start + search.length
  }
  result.push(...oldLines.slice(line))
  return Result.succeed({ content: result.map((line) => `${line}\n`).join(""), hunks, warnings: [] })
}

/** One hunk over the lines that differ. */
const replaced = (before: string, after: string): ApplyResult => {
  const [from, to] = [lines(before), lines(after)]
  const shorter = Math.min(from.length, to.length)
  let head = 0
  while (head < shorter && from[head] === to[head]) head++
  let tail = 0
  while (tail < shorter - head && from.at(-1 - tail) === to.at(-1 - tail)) tail++
  const [oldLines, newLines] = [from.length - head - tail, to.length - head - tail]
  const hunk: Hunk = {
    oldStart: oldLines === 0 ? head : head + 1,
    oldLines,
    newStart: newLines === 0 ? head : head + 1,
    newLines,
    strategy: "exact"
  }
  return { content: after, hunks: oldLines + newLines === 0 ? [] : [hunk], warnings: [] }
}
