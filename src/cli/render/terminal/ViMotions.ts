/** Where the motions and text objects of vi go in the input line. */
import * as LineEditor from "./LineEditor.ts"

type Editor = LineEditor.Editor

/** `isLinewise`: whole lines, without the line break after the last. */
export interface Range {
  readonly from: number
  readonly to: number
  readonly isLinewise: boolean
}

/** One character left, but not into the line above. */
export const previous = (editor: Editor): number => Math.max(LineEditor.lineStart(editor), LineEditor.graphemeStart(editor))

/** One character right, at most to the end of the line. */
export const next = (editor: Editor): number => Math.min(LineEditor.lineEnd(editor), LineEditor.graphemeEnd(editor))

/** The first character of the line that is no space. */
export const textStart = (editor: Editor): number => {
  const start = LineEditor.lineStart(editor)
  return start + /^[ \t]*/.exec(editor.text.slice(start))![0].length
}

/** The range of the lines that contain these places. */
export const lines = (editor: Editor, first: number, last = first): Range => ({
  from: LineEditor.lineStart({ ...editor, cursor: Math.min(first, last) }),
  to: LineEditor.lineEnd({ ...editor, cursor: Math.max(first, last) }),
  isLinewise: true
})

/** Words of letters or of punctuation; and those that only spaces separate, for the capital letters. */
const word = /[\p{L}\p{M}\p{N}_]+|[^\p{L}\p{M}\p{N}_\s]+/gu
const bigWord = /\S+/gu

const words = ({ text }: Editor, pattern: RegExp): ReadonlyArray<{ readonly start: number; readonly end: number }> =>
  [...text.matchAll(pattern)].map(({ 0: { length }, index }) => ({ start: index, end: index + length }))

const forward = (pattern: RegExp) => (editor: Editor): number =>
  words(editor, pattern).find(({ start }) => start > editor.cursor)?.start ?? editor.text.length

const backward = (pattern: RegExp) => (editor: Editor): number =>
  words(editor, pattern).findLast(({ start }) => start < editor.cursor)?.start ?? 0

const toEnd = (pattern: RegExp) => (editor: Editor): number =>
  words(editor, pattern).map(({ end }) => LineEditor.graphemeStart({ ...editor, cursor: end })).find((end) => end > editor.cursor) ??
    editor.cursor

/** The end of so many words from the one at the cursor on. */
const wordsEnd = (editor: Editor, pattern: RegExp, count: number): number => {
  const following = words(editor, pattern).filter(({ end }) => end > editor.cursor)
  return (following[count - 1] ?? following.at(-1))?.end ?? editor.cursor
}

/** Motions of one step, which a count repeats. */
const steps: Readonly<Record<string, (editor: Editor) => number>> = {
  h: previous,
  l: next,
  " ": next,
  w: forward(word),
  W: forward(bigWord),
  b: backward(word),
  B: backward(bigWord),
  e: toEnd(word),
  E: toEnd(bigWord)
}

/** Motions to one place; `G` and `gg` go to the line that the count names. */
const places: Readonly<Record<string, (editor: Editor, count: number | undefined) => number>> = {
  0: LineEditor.lineStart,
  "^": textStart,
  $: LineEditor.lineEnd,
  G: (editor, count) => textStart({ ...editor, cursor: count === undefined ? editor.text.length : lineNumber(editor, count) }),
  gg: (editor, count = 1) => textStart({ ...editor, cursor: lineNumber(editor, count) })
}

const lineNumber = ({ text }: Editor, line: number): number => text.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0)

/** Motions that include the character that they go to. */
const inclusive: ReadonlySet<string> = new Set(["e", "E", "f", "t"])

/** The search that `;` or `,` repeats, or the one that was typed: `fx`. */
const findOf = (target: string, last: string): string | undefined =>
  /^[fFtT]./su.test(target) ? target
    : last === "" ? undefined
    : target === ";" ? last
    : target === "," ? (/[ft]/.test(last[0]!) ? last[0]!.toUpperCase() : last[0]!.toLowerCase()) + last.slice(1)
    : undefined

/** Where the character is in the line; a repeated `t` passes by the one that it stands at. */
const search = (editor: Editor, find: string, count: number, isRepeated: boolean): number | undefined => {
  const [kind, character] = [find[0]!, find.slice(1)]
  const isForward = kind === "f" || kind === "t"
  const { from, to } = lines(editor, editor.cursor)
  const skip = isRepeated && (kind === "t" || kind === "T") ? 1 : 0
  const all = [...editor.text.slice(from, to).matchAll(new RegExp(RegExp.escape(character), "gu"))].map(({ index }) => from + index)
  const place = isForward ? all.filter((at) => at > editor.cursor + skip)[count - 1]
    : all.filter((at) => at < editor.cursor - skip).at(-count)
  return place === undefined ? undefined
    : kind === "t" ? LineEditor.graphemeStart({ ...editor, cursor: place })
    : kind === "T" ? LineEditor.graphemeEnd({ ...editor, cursor: place })
    : place
}

/** Where a motion goes; undefined for another key, or if there is no such place. */
export const motion = (editor: Editor, target: string, count: number | undefined): number | undefined => {
  const find = findOf(target, editor.vi?.find ?? "")
  if (find !== undefined) return search(editor, find, count ?? 1, target !== find || target === editor.vi?.find)
  const step = Object.hasOwn(steps, target) ? steps[target]! : undefined
  if (step === undefined) return Object.hasOwn(places, target) ? places[target]!(editor, count) : undefined
  const times = Math.min(count ?? 1, editor.text.length)
  return Array.from({ length: times }).reduce<number>((cursor) => step({ ...editor, cursor }), editor.cursor)
}

/** What an operator acts on: up to where a motion goes, a text object, or lines. */
export const range = (editor: Editor, operator: string, target: string, count: number | undefined): Range | undefined => {
  const { cursor, text } = editor
  if (target === operator) return lines(editor, cursor, lineBelow(editor, (count ?? 1) - 1))
  if (target === "j" || target === "k") {
    const goal = lineBelow(editor, (count ?? 1) * (target === "j" ? 1 : -1))
    return LineEditor.lineStart({ ...editor, cursor: goal }) === LineEditor.lineStart(editor) ? undefined : lines(editor, cursor, goal)
  }
  if (/^[ia]./su.test(target)) return textObject(editor, target[0] === "a", target.slice(1))
  const isWord = target === "w" || target === "W"
  // Changing a word leaves the space after it, and changing an empty line its end.
  if (isWord && operator === "c" && /\S|\n/.test(text[cursor] ?? "\n")) {
    const to = cursor === LineEditor.lineEnd(editor) ? cursor : wordsEnd(editor, target === "w" ? word : bigWord, count ?? 1)
    return { from: cursor, to, isLinewise: false }
  }
  const goal = motion(editor, target, count)
  if (goal === undefined || goal === cursor && /^[bBh]$/.test(target)) return undefined
  if (target === "G" || target === "gg") return lines(editor, cursor, goal)
  const [from, end] = [Math.min(cursor, goal), Math.max(cursor, goal)]
  const isInclusive = inclusive.has((findOf(target, editor.vi?.find ?? "") ?? target)[0]!)
  const to = isInclusive ? LineEditor.graphemeEnd({ ...editor, cursor: end }) : end
  // The line break after the last word stays.
  const lineBreaks = isWord ? /[^\n](\n\s*)$/.exec(text.slice(from, to))?.[1]?.length ?? 0 : 0
  return { from, to: to - lineBreaks, isLinewise: false }
}

/** A place in the line so many lines below or above, or in the last or first one. */
const lineBelow = (editor: Editor, by: number): number =>
  Array.from({ length: Math.min(Math.abs(by), editor.text.length) }).reduce<number>((cursor) => {
    const { from, to } = lines(editor, cursor)
    return by > 0 ? Math.min(to + 1, editor.text.length) : Math.max(0, from - 1)
  }, editor.cursor)

const pairs: Readonly<Record<string, string>> = {
  "(": "()",
  ")": "()",
  b: "()",
  "[": "[]",
  "]": "[]",
  "{": "{}",
  "}": "{}",
  B: "{}",
  "<": "<>",
  ">": "<>"
}

/** A word, or what quotation marks or brackets enclose; `isAround`: with the space or the marks around it. */
const textObject = (editor: Editor, isAround: boolean, name: string): Range | undefined => {
  if (name === "w" || name === "W") return wordObject(editor, isAround, name === "w" ? word : bigWord)
  const enclosed = /^["'`]$/.test(name) ? quoted(editor, name) : Object.hasOwn(pairs, name) ? bracketed(editor, pairs[name]!) : undefined
  return enclosed === undefined ? undefined
    : isAround ? { from: enclosed[0], to: enclosed[1] + 1, isLinewise: false }
    : { from: enclosed[0] + 1, to: enclosed[1], isLinewise: false }
}

/** At a space, the spaces. */
const wordObject = (editor: Editor, isAround: boolean, pattern: RegExp): Range | undefined => {
  const { text } = editor
  const spaces = words(editor, /[^\S\n]+/gu)
  const at = [...words(editor, pattern), ...spaces].find(({ end, start }) => start <= editor.cursor && editor.cursor < end)
  if (at === undefined) return undefined
  if (!isAround) return { from: at.start, to: at.end, isLinewise: false }
  if (/\s/.test(text[at.start]!)) return { from: at.start, to: wordsEnd({ ...editor, cursor: at.end }, pattern, 1), isLinewise: false }
  const after = spaces.find(({ start }) => start === at.end)
  const before = after === undefined ? spaces.find(({ end }) => end === at.start) : undefined
  return { from: before?.start ?? at.start, to: after?.end ?? at.end, isLinewise: false }
}

/** The quotation marks around the cursor, or the next ones in the line. */
const quoted = (editor: Editor, mark: string): readonly [number, number] | undefined => {
  const { from, to } = lines(editor, editor.cursor)
  const marks = Array.from({ length: to - from }, (_, i) => from + i).filter((at) => editor.text[at] === mark)
  const opening = marks.findIndex((_, i) => i % 2 === 0 && marks[i + 1] !== undefined && marks[i + 1]! >= editor.cursor)
  return opening === -1 ? undefined : [marks[opening]!, marks[opening + 1]!]
}

/** The brackets around the cursor, or the next ones in the line. */
const bracketed = (editor: Editor, [open, close]: string): readonly [number, number] | undefined => {
  const { cursor, text } = editor
  const opening: Array<number> = []
  const all: Array<readonly [number, number]> = []
  for (let at = 0; at < text.length; at++) {
    if (text[at] === open) opening.push(at)
    const start = text[at] === close ? opening.pop() : undefined
    if (start !== undefined) all.push([start, at])
  }
  return all.find(([start, end]) => start <= cursor && cursor <= end) ??
    all.toSorted(([a], [b]) => a - b).find(([start]) => start > cursor && start < LineEditor.lineEnd(editor))
}
