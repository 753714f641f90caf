/** What a model is told of a command: how it stands, what it said. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Clip from "../../domain/tool/Clip.ts"
import * as Excerpt from "../../domain/tool/Truncate.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import type { FileError } from "../../domain/workspace/FileError.ts"
import type { Job } from "../../services/BackgroundCommands.ts"

/** `characters` and `lines` of one page, `hits` of one search. */
export const limits = { characters: 48_000, lines: 2_000, hits: 300, hit: 500 }

/** One line: whether it runs, how it ended, where it listens. */
export const state = (job: Job): Effect.Effect<string> =>
  Effect.map(job.ports, (ports) => {
    const exit = job.exit()
    if (exit !== undefined) return exit.signal === null ? `Exit code ${exit.code}.` : `Ended by ${exit.signal}.`
    return `${job.id} is running.${ports.length === 0 ? "" : ` It listens on port ${ports.join(", ")} (http://localhost:${ports[0]}).`}`
  })

/** Output as it is shown; a word where there is none. */
export const shown = (output: string): string => output.trim() === "" ? "(no output)" : output.trimEnd()

/** What came since the last look. */
export const news = Effect.fnUntraced(function*({ output }: Job) {
  const from = output.look()
  const excerpt = Excerpt.initial(limits.characters)
  yield* Stream.runForEach(output.lines(from), ({ lines }) => Effect.sync(() => void Excerpt.push(excerpt, `${lines.join("\n")}\n`)))
  const { cut, text } = Excerpt.result(excerpt)
  if (text === "") return from === 1 ? "(no output)" : "(no new output)"
  const range = `Lines ${from} to ${output.count()}${cut === 0 ? "" : `, ${cut} characters of them cut from the middle: page them with start_line, or search`}:`
  return `${range}\n${text.trimEnd()}`
})

/** Lines with their numbers, until a limit of the page is reached. */
export const page = Effect.fnUntraced(function*({ output }: Job, from: number) {
  const shown: Array<string> = []
  let room = limits.characters
  let next = from
  yield* Stream.runForEachWhile(output.lines(from), ({ first, lines }) =>
    Effect.sync(() => {
      for (const [i, text] of lines.entries()) {
        const line = Clip.line(`${first + i} | ${text}`, limits.characters)
        room -= line.length + 1
        if (room < 0 && shown.length > 0 || shown.length === limits.lines) return false
        shown.push(line)
        next = first + i + 1
      }
      return true
    }))
  const last = output.count()
  if (shown.length === 0) return `There is no line ${from}: so far there are ${last}.`
  return [...shown, ...next > last ? [] : [`[${last} lines so far; go on with start_line ${next}.]`]].join("\n")
})

/** Which of some lines match, by their index. */
export type Matches = (lines: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<number>, FileError>

/** Lines from a number on that match, with their numbers; `count` is how many there are. */
export const hits = Effect.fnUntraced(function*({ output }: Job, matches: Matches, from: number) {
  const found: Array<string> = []
  let count = 0
  yield* Stream.runForEach(output.lines(from), ({ first, lines }) =>
    Effect.map(matches(lines), (matching) => {
      for (const i of matching) {
        if (++count <= limits.hits) found.push(`${first + i}: ${Clip.line(lines[i] ?? "", limits.hit)}`)
      }
    }))
  return { count, text: [...found, ...count > limits.hits ? [`[${count} lines match; these are the first ${limits.hits}.]`] : []].join("\n") }
})

/** There is no such command, or not any more. */
export const gone = (id: string, running: ReadonlyArray<Job>): Outcome.Outcome => {
  const now = running.length === 0 ? "No command runs in the background now." : `These run: ${running.map(({ command, id }) => `${id} (${command})`).join(", ")}.`
  return Outcome.failed(
    `There is no command ${id} any more, and what it said is gone beyond what you were shown: commands end with dacapo, and of those that have ended only the last few are kept. ${now} Run it again if you need it.`
  )
}
