/** Detects a line that stands for code which a model did not write out: "// … rest of the code". */

export interface OmittedCode {
  /** From 1. */
  readonly line: number
  readonly text: string
}

const commentStart = "(?://|#|/\\*+|<!--|--|;|%|\\{/\\*|\\*|\"\"\"|''')?"
const dots = "(?:\\.{3,}|…)"
const phrases = "(?:rest|remain(?:s|ing|der)|existing|previous|original|unchanged|same as|other (?:code|functions|methods)|keep)"

/** A comment or a bare line with dots and words for "and so on": an ellipsis at one end at least. */
const placeholder = new RegExp(
  `^\\s*${commentStart}\\s*(?:\\[?\\(?\\s*${dots}.{0,40}\\b${phrases}\\b.{0,60}|.{0,40}\\b${phrases}\\b.{0,60}${dots}\\s*\\)?\\]?)\\s*(?:\\*/\\}?|-->|"""|''')?\\s*$`,
  "i"
)

/** The first placeholder of a content that would shorten the file by more than half; lines already in the file don't count. */
export const findOmittedCode = (oldText: string, newText: string): OmittedCode | undefined => {
  if (newText.length * 2 >= oldText.length) return undefined
  const existingLines = new Set(oldText.split("\n").map((line) => line.trim()))
  const lines = newText.split("\n")
  const at = lines.findIndex((line) => line.length < 200 && placeholder.test(line) && !existingLines.has(line.trim()))
  return at === -1 ? undefined : { line: at + 1, text: (lines[at] ?? "").trim() }
}
