/** A line that stands for code which a model did not write out: "// … rest of the code". */

export interface Found {
  /** From 1. */
  readonly line: number
  readonly text: string
}

const open = "(?://|#|/\\*+|<!--|--|;|%|\\{/\\*|\\*|\"\"\"|''')?"
const dots = "(?:\\.{3,}|…)"
const words = "(?:rest|remain(?:s|ing|der)|existing|previous|original|unchanged|same as|other (?:code|functions|methods)|keep)"

/** A comment or a bare line of dots and words that say "and so on": both at one end at least. */
const placeholder = new RegExp(
  `^\\s*${open}\\s*(?:\\[?\\(?\\s*${dots}.{0,40}\\b${words}\\b.{0,60}|.{0,40}\\b${words}\\b.{0,60}${dots}\\s*\\)?\\]?)\\s*(?:\\*/\\}?|-->|"""|''')?\\s*$`,
  "i"
)

/** The first placeholder of a content that would shorten the file by more than half; lines that the file has already are its own. */
export const find = (before: string, after: string): Found | undefined => {
  if (after.length * 2 >= before.length) return undefined
  const own = new Set(before.split("\n").map((line) => line.trim()))
  const lines = after.split("\n")
  const at = lines.findIndex((line) => line.length < 200 && placeholder.test(line) && !own.has(line.trim()))
  return at === -1 ? undefined : { line: at + 1, text: (lines[at] ?? "").trim() }
}
