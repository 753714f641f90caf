/** What a page reported: its console, its network, and how we handled its requests; the most recent lines, made printable. */
import * as SafeText from "../../domain/message/SafeText.ts"
import * as Truncate from "../../domain/tool/Truncate.ts"

/** The number of lines to retain, and characters of each. */
const limits = { lines: 200, characters: 500 }

export interface Journal {
  /** `isError`: reported with the next action, whatever it is. */
  readonly note: (text: string, isError: boolean) => void
  /** The error lines that were not reported yet; afterwards they count as reported. */
  readonly unreportedErrors: () => ReadonlyArray<string>
  readonly all: () => ReadonlyArray<string>
}

export const make = (): Journal => {
  let lines: ReadonlyArray<{ readonly text: string; readonly isError: boolean }> = []
  let reported = 0
  let dropped = 0
  const markReported = <A>(value: A): A => {
    reported = dropped + lines.length
    return value
  }
  return {
    note: (text, isError) => {
      const line = Truncate.line(SafeText.of(text).replace(/\s*\n\s*/g, " ⏎ "), limits.characters)
      lines = [...lines, { text: line, isError }]
      if (lines.length <= limits.lines) return
      lines = lines.slice(1)
      dropped++
    },
    unreportedErrors: () =>
      markReported(lines.slice(Math.max(reported - dropped, 0)).flatMap(({ isError, text }) => isError ? [text] : [])),
    all: () => markReported([...(dropped === 0 ? [] : [`[${dropped} earlier lines were dropped.]`]), ...lines.map(({ text }) => text)])
  }
}
