/**
 * One exact text for another, in the style of Anthropic's text editor tool. The old text may be part of a line if it
 * occurs exactly once, or anywhere with `replace_all`; an empty one creates a file.
 */
import * as Result from "effect/Result"
import { optional } from "../Optional.ts"
import type { Edits, FileEdit } from "./Edit.ts"
import { type EditError, fail } from "./EditError.ts"
import { noChangeMessage } from "./BlockChange.ts"
import { ambiguousMessage, maxListedPlaces, notEmptyMessage } from "./PlaceBlocks.ts"
import { type Splice, newlineCounter, splice } from "./Splice.ts"
import * as Update from "./Update.ts"
import { replaceContent } from "./ReplaceContent.ts"

/** The parameters as received by tools. */
export interface Input {
  readonly old_text: string
  readonly new_text: string
  readonly replace_all?: boolean
  readonly path?: string
}

/** O(text). Fails with `NoChange` if both texts are equal. */
export const parse = ({ new_text, old_text, path, replace_all }: Input): Result.Result<Edits, EditError> =>
  old_text === new_text
    ? Result.fail(fail("NoChange", "old_text and new_text are equal", path === undefined ? {} : { path }))
    : Result.succeed({
      format: "exact",
      files: [{
        _tag: "Exact",
        oldText: old_text,
        newText: new_text,
        all: replace_all ?? false,
        ...optional({ path })
      }],
      warnings: []
    })

// One exact text for another. Complete lines are tried first, then text within lines; both exactly, except for line
// endings. If neither matches, the text is treated as lines and located like a block.

type Exact = Extract<FileEdit, { readonly _tag: "Exact" }>

/** Where the old text occurs: offsets into the content, and whether it consists of complete lines. */
interface Match {
  readonly start: number
  readonly end: number
  readonly isLineAligned: boolean
}

/** When one occurrence is expected, any beyond this count are ignored: the text is too common either way. */
const maxOccurrences = 10_000

/** O(content + edit). */
export const applyExact = (content: string, edit: Exact, options: Update.Options): Result.Result<Update.ApplyResult, EditError> => {
  const oldText = edit.oldText.replaceAll("\r\n", "\n")
  const details = { block: 1, ...optional({ path: edit.path }) }
  const bomLength = content.startsWith("\ufeff") ? 1 : 0
  if (oldText === "") {
    return content.length === bomLength || options.replace === "whole"
      ? Result.succeed(replaceContent(content, edit.newText))
      : Result.fail(fail("NotEmpty", notEmptyMessage, details))
  }
  if (oldText === edit.newText.replaceAll("\r\n", "\n")) return Result.fail(fail("NoChange", noChangeMessage, details))
  const matches = occurrences(content, bomLength, oldText, edit.all)
  if (matches.length === 0) return Update.update(content, toUpdate(edit, oldText), { ...options, all: edit.all })
  const alignedMatches = matches.filter(({ isLineAligned }) => isLineAligned)
  const selection = edit.all || alignedMatches.length === 0 ? matches : alignedMatches
  if (!edit.all && selection.length > 1) {
    const newlinesTo = newlineCounter(content)
    let line = 1
    const places = [...new Set(selection.slice(0, maxListedPlaces).map(({ start }) => line += newlinesTo(start)))]
    return Result.fail(fail("Ambiguous", ambiguousMessage(selection.length, places), { ...details, places }))
  }
  return Result.succeed(splice(content, replacements(content, selection, edit.newText.replaceAll("\r\n", "\n"))))
}

/** Every occurrence, ascending, with either line ending; overlapping ones only if one must be chosen. */
const occurrences = (content: string, from: number, text: string, all: boolean): ReadonlyArray<Match> => {
  const spellings = text.includes("\n") ? [text, text.replaceAll("\n", "\r\n")] : [text]
  return spellings.flatMap((spelling) => {
    const matches: Array<Match> = []
    let at = content.indexOf(spelling, from)
    while (at >= 0 && (all || matches.length < maxOccurrences)) {
      const end = at + spelling.length
      // A text that begins with a newline also matches in the second half of a CR LF, where its other spelling matches.
      if (spelling[0] !== "\n" || content[at - 1] !== "\r") {
        matches.push({ start: at, end, isLineAligned: (at === from || content[at - 1] === "\n") && isLineEnd(content, end) })
      }
      at = content.indexOf(spelling, all ? end : at + 1)
    }
    return matches
  }).sort((a, b) => a.start - b.start)
}

const isLineEnd = (content: string, end: number): boolean =>
  end === content.length || content[end - 1] === "\n" || content[end] === "\n" || content.startsWith("\r\n", end)

/** Each place with the new text, in the file's line endings there. The places ascend; the content is read once. */
const replacements = (content: string, places: ReadonlyArray<Match>, text: string): ReadonlyArray<Splice> => {
  if (!text.includes("\n")) return places.map(({ end, start }) => ({ start, end, text }))
  const crlfText = text.replaceAll("\n", "\r\n")
  const last = content.lastIndexOf("\n")
  let newline = -1
  return places.map(({ end, start }) => {
    // The line at the place ends with this newline, or with the previous line's if it is the unterminated last line.
    if (newline < start) newline = start > last ? last : content.indexOf("\n", start)
    return { start, end, text: newline > 0 && content[newline - 1] === "\r" ? crlfText : text }
  })
}

/** The edit as lines for lines. An old text that stops before its newline leaves that newline alone. */
const toUpdate = ({ newText, path }: Exact, oldText: string): Update.Edit => {
  const text = newText.replaceAll("\r\n", "\n")
  const hasNewline = oldText.endsWith("\n")
  const search = hasNewline ? oldText.slice(0, -1).split("\n") : oldText.split("\n")
  const replace = !hasNewline || !text.endsWith("\n") ? text.split("\n") : text.slice(0, -1).split("\n")
  return {
    _tag: "Update",
    blocks: [{ index: 1, search, replace: hasNewline && text === "" ? [] : replace }],
    ...optional({ path })
  }
}
