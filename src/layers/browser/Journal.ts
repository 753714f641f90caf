/** What a page said: its console, its network, and what we did with its wishes; the newest lines of it, made printable. */
import * as Printable from "../../domain/message/SafeText.ts"
import * as Clip from "../../domain/tool/Clip.ts"

/** Lines that are kept, and characters of each. */
const limits = { lines: 200, characters: 500 }

export interface Journal {
  /** `grave`: told with the next action, whatever it is. */
  readonly note: (text: string, grave: boolean) => void
  /** The grave ones that were not told yet; after it they are told. */
  readonly fresh: () => ReadonlyArray<string>
  readonly all: () => ReadonlyArray<string>
}

export const make = (): Journal => {
  let lines: ReadonlyArray<{ readonly text: string; readonly grave: boolean }> = []
  let told = 0
  let dropped = 0
  const taken = <A>(value: A): A => {
    told = dropped + lines.length
    return value
  }
  return {
    note: (text, grave) => {
      const line = Clip.line(Printable.of(text).replace(/\s*\n\s*/g, " ⏎ "), limits.characters)
      lines = [...lines, { text: line, grave }]
      if (lines.length <= limits.lines) return
      lines = lines.slice(1)
      dropped++
    },
    fresh: () => taken(lines.slice(Math.max(told - dropped, 0)).flatMap(({ grave, text }) => grave ? [text] : [])),
    all: () => taken([...(dropped === 0 ? [] : [`[${dropped} earlier lines are not kept.]`]), ...lines.map(({ text }) => text)])
  }
}
