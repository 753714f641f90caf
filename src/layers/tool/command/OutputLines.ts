/** The lines of a command's output for a model: new ones, a page of them, or those that match. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Truncate from "../../../domain/tool/Truncate.ts"
import type { FileError } from "../../../domain/workspace/FileError.ts"
import type { BackgroundCommand } from "../../../services/BackgroundCommands.ts"

/** `characters` and `lines` of one page, `hits` of one search. */
export const limits = { characters: 48_000, lines: 2_000, hits: 300, hit: 500 }

/** The output since the last look. */
export const newOutput = Effect.fnUntraced(function*({ output }: BackgroundCommand) {
  const from = output.look()
  const excerpt = Truncate.initial(limits.characters)
  yield* Stream.runForEach(output.lines(from), ({ lines }) => Effect.sync(() => void Truncate.push(excerpt, `${lines.join("\n")}\n`)))
  const { omittedCount, text } = Truncate.result(excerpt)
  if (text === "") return from === 1 ? "(no output)" : "(no new output)"
  const range = `Lines ${from} to ${output.count()}${
    omittedCount === 0 ? "" : `, ${omittedCount} characters of them cut from the middle; page through them with start_line, or search`
  }:`
  return `${range}\n${text.trimEnd()}`
})

/** Numbered lines until a limit of the page is reached. */
export const page = Effect.fnUntraced(function*({ output }: BackgroundCommand, from: number) {
  const pageLines: Array<string> = []
  let remaining = limits.characters
  let next = from
  yield* Stream.runForEachWhile(output.lines(from), ({ first, lines }) =>
    Effect.sync(() => {
      for (const [i, text] of lines.entries()) {
        const line = Truncate.line(`${first + i} | ${text}`, limits.characters)
        remaining -= line.length + 1
        if (remaining < 0 && pageLines.length > 0 || pageLines.length === limits.lines) return false
        pageLines.push(line)
        next = first + i + 1
      }
      return true
    }))
  const last = output.count()
  if (pageLines.length === 0) return `Line ${from} does not exist yet: the output has ${last} lines so far.`
  return [...pageLines, ...next > last ? [] : [`[${last} lines so far. Continue with start_line ${next}.]`]].join("\n")
})

/** Which of some lines match, by their index. */
export type LineMatcher = (lines: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<number>, FileError>

/** Matching lines from a number on, with their numbers; `count` is their total. */
export const hits = Effect.fnUntraced(function*({ output }: BackgroundCommand, matches: LineMatcher, from: number) {
  const matchLines: Array<string> = []
  let count = 0
  yield* Stream.runForEach(output.lines(from), ({ first, lines }) =>
    Effect.map(matches(lines), (indexes) => {
      for (const i of indexes) {
        if (++count <= limits.hits) matchLines.push(`${first + i}: ${Truncate.line(lines[i] ?? "", limits.hit)}`)
      }
    }))
  return {
    count,
    text: [...matchLines, ...count > limits.hits ? [`[${count} lines match. These are the first ${limits.hits}.]`] : []].join("\n")
  }
})
