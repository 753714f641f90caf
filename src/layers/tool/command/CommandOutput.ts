/** command_output: the output of a background command, or the middle of output that was too long to show. */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import * as Access from "../../../domain/tool/Access.ts"
import * as Outcome from "../../../domain/tool/Outcome.ts"
import * as ToolReport from "../../../domain/tool/ToolReport.ts"
import { type BackgroundCommand, BackgroundCommands } from "../../../services/BackgroundCommands.ts"
import { define, ToolContext } from "../../../services/Tool.ts"
import * as SearchPattern from "../../workspace/files/SearchPattern.ts"
import * as CommandReport from "./CommandReport.ts"

const params = Schema.Struct({
  id: Schema.String.annotate({ description: "The command's id, from run_command." }),
  wait: Schema.optionalKey(
    Schema.Finite.annotate({
      description: "Seconds to wait for its end, a port or, with search, a match."
    })
  ),
  search: Schema.optionalKey(
    Schema.String.annotate({ description: "A regular expression: only its lines, numbered." })
  ),
  start_line: Schema.optionalKey(
    Schema.Int.annotate({ description: "Default: what you have not seen." })
  )
})

/** The maximum wait of one call in seconds. */
const maxWaitSeconds = 600

export const CommandOutput = define({
  name: "command_output",
  description:
    "Read the output of a background command, or the rest of a long one. Returns its state, ports, and up to 48,000 characters or 300 matching lines.",
  params,
  plain: ["id"],
  aliases: ["bash_output", "read_output"],
  paramAliases: {
    command_id: "id",
    bash_id: "id",
    job: "id",
    regex: "search",
    filter: "search",
    pattern: "search",
    timeout: "wait",
    from_line: "start_line",
    offset: "start_line"
  },
  kind: "read",
  hasNoOtherEffects: true,
  tags: ["read"],
  access: () => [Access.other("command_output")],
  run: Effect.fn("command_output")(function*({ id, search, start_line, wait }) {
    const commands = yield* BackgroundCommands
    const { session } = yield* ToolContext
    const command = yield* commands.find(session, id)
    if (command === undefined) return CommandReport.notFound(id, yield* commands.running(session))
    const from = Math.max(1, start_line ?? 1)
    const waitMs = Math.min(Math.max(wait ?? 0, 0), maxWaitSeconds) * 1000
    return yield* Effect.gen(function*() {
      if (search !== undefined) {
        const pattern = yield* compilePattern(search)
        if (waitMs > 0) yield* command.wait(waitMs, yield* waitForMatch(command, pattern, from))
        return yield* matchReport(command, pattern, from)
      }
      if (waitMs > 0) yield* command.wait(waitMs, yield* waitForPort(command))
      return yield* start_line === undefined ? CommandReport.newOutput(command) : CommandReport.page(command, from)
    }).pipe(
      Effect.scoped,
      Effect.flatMap((text) => Effect.map(CommandReport.state(command), (state) => Outcome.succeeded(`${state}\n${text}`))),
      Effect.catch((error) => Effect.succeed(ToolReport.fileOutcome(error)))
    )
  })
})

/** The expression, each use of which may fail: it can take too long. */
const compilePattern = (search: string) =>
  Effect.map(
    SearchPattern.compile("search", search),
    (pattern): CommandReport.LineMatcher => (lines) => Effect.map(pattern([`${lines.join("\n")}\n`]), ([matches = []]) => matches)
  )

const matchReport = (command: BackgroundCommand, matches: CommandReport.LineMatcher, from: number) =>
  Effect.map(
    CommandReport.hits(command, matches, from),
    ({ count, text }) => count === 0 ? `None of the ${command.output.count()} lines match.` : text
  )

/**
 * Whether a line from there on matches; lines already checked are skipped. Errors of the expression are reported by the
 * search itself.
 */
const waitForMatch = Effect.fnUntraced(function*(command: BackgroundCommand, matches: CommandReport.LineMatcher, from: number) {
  const next = yield* Ref.make(from)
  return Effect.gen(function*() {
    const last = command.output.count()
    const { count } = yield* CommandReport.hits(command, matches, yield* Ref.get(next))
    yield* Ref.set(next, Math.max(from, last))
    return count > 0
  }).pipe(Effect.orElseSucceed(() => true))
})

/** Whether it listens on a port that it did not when the wait began. */
const waitForPort = Effect.fnUntraced(function*(command: BackgroundCommand) {
  const initialPorts = yield* command.ports
  return Effect.map(command.ports, (ports) => ports.some((port) => !initialPorts.includes(port)))
})
