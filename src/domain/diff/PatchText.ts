/** The lines of one hunk as they arrive: context, lines taken out, lines put in. Both patch formats share them. */
import type { Block } from "./Edit.ts"

/** Belongs to the step that takes it. */
export interface HunkLines {
  readonly search: Array<string>
  readonly replace: Array<string>
  readonly keep: Array<number>
  /** Blank lines without their space: context if the hunk goes on after them, else the gap before what follows. */
  blank: number
}

export const initial = (): HunkLines => ({ search: [], replace: [], keep: [], blank: 0 })

export const isEmpty = ({ blank, replace, search }: HunkLines): boolean =>
  search.length === 0 && replace.length === 0 && blank === 0

/** Takes a line that begins with its mark, or is blank; says whether it was one. */
export const take = (hunk: HunkLines, line: string): boolean => {
  if (line === "") {
    hunk.blank++
    return true
  }
  const rest = line.slice(1)
  switch (line[0]) {
    case " ":
      context(hunk, rest)
      return true
    case "-":
      settleBlank(hunk)
      hunk.search.push(rest)
      return true
    case "+":
      settleBlank(hunk)
      hunk.replace.push(rest)
      hunk.keep.push(-1)
      return true
    default:
      return false
  }
}

export const context = (hunk: HunkLines, line: string): void => {
  settleBlank(hunk)
  hunk.keep.push(hunk.search.length)
  hunk.search.push(line)
  hunk.replace.push(line)
}

const settleBlank = (hunk: HunkLines): void => {
  for (; hunk.blank > 0; hunk.blank--) {
    hunk.keep.push(hunk.search.length)
    hunk.search.push("")
    hunk.replace.push("")
  }
}

/** Of the blank lines at the end, so many are context; the rest is the gap before what follows. */
export const closeBlank = (hunk: HunkLines, most: number): void => {
  hunk.blank = Math.min(hunk.blank, Math.max(0, most))
  settleBlank(hunk)
}

export const toBlock = (
  { keep, replace, search }: HunkLines,
  details: Omit<Block, "search" | "replace" | "keep">
): Block => ({ ...details, search, replace, keep })
