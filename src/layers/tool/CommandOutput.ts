/** command_output: what a command in the background said, or the middle of what was too long to show. */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import * as Access from "../../domain/tool/Access.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import * as ToolReport from "../../domain/tool/ToolReport.ts"
import type { FileError } from "../../domain/workspace/FileError.ts"
import { type Job, Jobs } from "../../services/BackgroundCommands.ts"
import { define, ToolContext } from "../../services/Tool.ts"
import * as Pattern from "../workspace/files/SearchPattern.ts"
import * as JobReport from "./CommandReport.ts"

const params = Schema.Struct({
  id: Schema.String.annotate({ description: "The command's id, as run_command told it." }),
  wait: Schema.optionalKey(Schema.Finite.annotate({ description: "Seconds to wait at most: until it ends, listens on a port, or with search says what is searched for." })),
  search: Schema.optionalKey(Schema.String.annotate({ description: "A regular expression: you get the lines that match, with their numbers." })),
  start_line: Schema.optionalKey(Schema.Int.annotate({ description: "The first line of a page, or of a search; without it you get what is new since you last looked." }))
})

/** Seconds that one call may wait. */
const longest = 600

export const CommandOutput = define({
  name: "command_output",
  description:
    "Read what a command said: one in the background, or one whose output was too long. You get whether it runs, the ports that it listens on, and what is new, or a page, or the lines that match. At most 48,000 characters or 300 matching lines a call.",
  params,
  aliases: ["bash_output", "read_output"],
  paramAliases: { command_id: "id", bash_id: "id", job: "id", regex: "search", filter: "search", pattern: "search", timeout: "wait", from_line: "start_line", offset: "start_line" },
  kind: "read",
  quiet: true,
  tags: ["read"],
  access: () => [Access.other("command_output")],
  run: Effect.fn("command_output")(function*({ id, search, start_line, wait }) {
    const jobs = yield* Jobs
    const { session } = yield* ToolContext
    const job = yield* jobs.find(session, id)
    if (job === undefined) return JobReport.gone(id, yield* jobs.running(session))
    const from = Math.max(1, start_line ?? 1)
    const ms = Math.min(Math.max(wait ?? 0, 0), longest) * 1000
    return yield* Effect.gen(function*() {
      if (search !== undefined) {
        const pattern = yield* compiled(search)
        if (ms > 0) yield* job.wait(ms, yield* says(job, pattern, from))
        return yield* found(job, pattern, from)
      }
      if (ms > 0) yield* job.wait(ms, yield* listensAnew(job))
      return yield* start_line === undefined ? JobReport.news(job) : JobReport.page(job, from)
    }).pipe(
      Effect.flatMap((said) => Effect.map(JobReport.state(job), (state) => Outcome.succeeded(`${state}\n${said}`))),
      Effect.catch((error) => Effect.succeed(ToolReport.fileOutcome(error)))
    )
  })
})

/** The expression, each use of which may fail: it can take too long. */
const compiled = (search: string): Effect.Effect<JobReport.Matches, FileError> =>
  Effect.map(attempt(() => Pattern.compile("search", search)), (pattern) => (lines) => attempt(() => pattern([`${lines.join("\n")}\n`])[0] ?? []))

const attempt = <A>(run: () => A): Effect.Effect<A, FileError> => Effect.try({ try: run, catch: (cause) => cause as FileError })

const found = (job: Job, matches: JobReport.Matches, from: number) =>
  Effect.map(JobReport.hits(job, matches, from), ({ count, text }) => count === 0 ? `No line of ${job.output.count()} matches.` : text)

/** Whether a line from there on matches; what was looked at is not looked at again. A fault of the expression is found by the search itself. */
const says = Effect.fnUntraced(function*(job: Job, matches: JobReport.Matches, from: number) {
  const next = yield* Ref.make(from)
  return Effect.gen(function*() {
    const last = job.output.count()
    const { count } = yield* JobReport.hits(job, matches, yield* Ref.get(next))
    yield* Ref.set(next, Math.max(from, last))
    return count > 0
  }).pipe(Effect.orElseSucceed(() => true))
})

/** Whether it listens on a port on which it did not when the wait began. */
const listensAnew = Effect.fnUntraced(function*(job: Job) {
  const before = yield* job.ports
  return Effect.map(job.ports, (ports) => ports.some((port) => !before.includes(port)))
})
