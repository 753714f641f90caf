/** The run of command_output. */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Outcome from "../../../domain/tool/Outcome.ts"
import * as ToolReport from "../../../domain/tool/ToolReport.ts"
import { type BackgroundCommand, BackgroundCommands } from "../../../services/BackgroundCommands.ts"
import { ToolContext } from "../../../services/Tool.ts"
import * as SearchPattern from "../../workspace/files/SearchPattern.ts"
import * as CommandReport from "./CommandReport.ts"
import * as OutputLines from "./OutputLines.ts"

/** The params of the call. */
interface Params {
  readonly id: string
  readonly wait?: number
  readonly search?: string
  readonly start_line?: number
}

/** The maximum wait of one call in seconds. */
const maxWaitSeconds = 600

export const read = Effect.fn("command_output")(function*({ id, search, start_line, wait }: Params) {
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
    return yield* start_line === undefined ? OutputLines.newOutput(command) : OutputLines.page(command, from)
  }).pipe(
    Effect.scoped,
    Effect.flatMap((text) => Effect.map(CommandReport.state(command), (state) => Outcome.succeeded(`${state}\n${text}`))),
    Effect.catch((error) => Effect.succeed(ToolReport.fileOutcome(error)))
  )
})

/** The expression, each use of which may fail: it can take too long. */
const compilePattern = (search: string) =>
  Effect.map(
    SearchPattern.compile("search", search),
    (pattern): OutputLines.LineMatcher => (lines) => Effect.map(pattern([`${lines.join("\n")}\n`]), ([matches = []]) => matches)
  )

const matchReport = (command: BackgroundCommand, matches: OutputLines.LineMatcher, from: number) =>
  Effect.map(
    OutputLines.hits(command, matches, from),
    ({ count, text }) => count === 0 ? `None of the ${command.output.count()} lines match.` : text
  )

/**
 * Whether a line from there on matches; lines already checked are skipped. Errors of the expression are reported by the
 * search itself.
 */
const waitForMatch = Effect.fnUntraced(function*(command: BackgroundCommand, matches: OutputLines.LineMatcher, from: number) {
  const next = yield* Ref.make(from)
  return Effect.gen(function*() {
    const last = command.output.count()
    const { count } = yield* OutputLines.hits(command, matches, yield* Ref.get(next))
    yield* Ref.set(next, Math.max(from, last))
    return count > 0
  }).pipe(Effect.orElseSucceed(() => true))
})

/** Whether it listens on a port that it did not when the wait began. */
const waitForPort = Effect.fnUntraced(function*(command: BackgroundCommand) {
  const initialPorts = yield* command.ports
  return Effect.map(command.ports, (ports) => ports.some((port) => !initialPorts.includes(port)))
})
