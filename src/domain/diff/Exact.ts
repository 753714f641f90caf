/**
 * One exact text for another. Whole lines are looked for first, then the text within lines; both to the character, but
 * for line endings. What is not found so is taken as whole lines and located as blocks are.
 */
import * as Result from "effect/Result"
import { noChange } from "./BlockChange.ts"
import type { FileEdit } from "./Edit.ts"
import { type EditError, fail } from "./EditError.ts"
import { listed, notEmpty, severalPlaces } from "./PlaceBlocks.ts"
import { newlineCounter, splice, type Splice } from "./Splice.ts"
import * as Update from "./Update.ts"
import { whole } from "./ReplaceContent.ts"

type Exact = Extract<FileEdit, { readonly _tag: "Exact" }>

/** Where the old text stands: offsets into the content, and whether it is whole lines. */
interface Found {
  readonly start: number
  readonly end: number
  readonly lines: boolean
}

/** Occurrences beyond this count are not looked at when one is wanted: the text is too common either way. */
const tooMany = 10_000

/** O(content + edit). */
export const exact = (content: string, edit: Exact, options: Update.Options): Result.Result<Update.Applied, EditError> => {
  const oldText = edit.oldText.replaceAll("\r\n", "\n")
  const details = { block: 1, ...(edit.path === undefined ? {} : { path: edit.path }) }
  const mark = content.startsWith("\ufeff") ? 1 : 0
  if (oldText === "") {
    return content.length === mark || options.replace === "whole"
      ? Result.succeed(whole(content, edit.newText))
      : Result.fail(fail("NotEmpty", notEmpty, details))
  }
  if (oldText === edit.newText.replaceAll("\r\n", "\n")) return Result.fail(fail("NoChange", noChange, details))
  const found = occurrences(content, mark, oldText, edit.all)
  if (found.length === 0) return Update.update(content, asBlock(edit, oldText), { ...options, all: edit.all })
  const aligned = found.filter(({ lines }) => lines)
  const chosen = edit.all || aligned.length === 0 ? found : aligned
  if (!edit.all && chosen.length > 1) {
    const newlinesTo = newlineCounter(content)
    let line = 1
    const places = [...new Set(chosen.slice(0, listed).map(({ start }) => line += newlinesTo(start)))]
    return Result.fail(fail("Ambiguous", severalPlaces(chosen.length, places), { ...details, places }))
  }
  return Result.succeed(splice(content, spelled(content, chosen, edit.newText.replaceAll("\r\n", "\n"))))
}

/** Every occurrence, ascending, with either line ending; overlapping ones only where one must be chosen. */
const occurrences = (content: string, from: number, text: string, all: boolean): ReadonlyArray<Found> => {
  const spellings = text.includes("\n") ? [text, text.replaceAll("\n", "\r\n")] : [text]
  return spellings.flatMap((spelling) => {
    const found: Array<Found> = []
    let at = content.indexOf(spelling, from)
    while (at >= 0 && (all || found.length < tooMany)) {
      const end = at + spelling.length
      // A text that begins with a newline also stands in the second half of a CR LF, where its other spelling stands.
      if (spelling[0] !== "\n" || content[at - 1] !== "\r") {
        found.push({ start: at, end, lines: (at === from || content[at - 1] === "\n") && endsLine(content, end) })
      }
      at = content.indexOf(spelling, all ? end : at + 1)
    }
    return found
  }).sort((a, b) => a.start - b.start)
}

const endsLine = (content: string, end: number): boolean =>
  end === content.length || content[end - 1] === "\n" || content[end] === "\n" || content.startsWith("\r\n", end)

/** Each place with the new text, in the line endings of the file there. The places ascend; the content is read once. */
const spelled = (content: string, places: ReadonlyArray<Found>, text: string): ReadonlyArray<Splice> => {
  if (!text.includes("\n")) return places.map(({ end, start }) => ({ start, end, text }))
  const inCrlf = text.replaceAll("\n", "\r\n")
  const last = content.lastIndexOf("\n")
  let newline = -1
  return places.map(({ end, start }) => {
    // The line at the place ends as this newline, or as the one before it where it is the unended last.
    if (newline < start) newline = start > last ? last : content.indexOf("\n", start)
    return { start, end, text: newline > 0 && content[newline - 1] === "\r" ? inCrlf : text }
  })
}

/** The edit as lines for lines. An old text that stops before its newline leaves that newline be. */
const asBlock = ({ newText, path }: Exact, oldText: string): Update.Edit => {
  const text = newText.replaceAll("\r\n", "\n")
  const ended = oldText.endsWith("\n")
  const search = ended ? oldText.slice(0, -1).split("\n") : oldText.split("\n")
  const replace = !ended || !text.endsWith("\n") ? text.split("\n") : text.slice(0, -1).split("\n")
  return {
    _tag: "Update",
    blocks: [{ index: 1, search, replace: ended && text === "" ? [] : replace }],
    ...(path === undefined ? {} : { path })
  }
}
