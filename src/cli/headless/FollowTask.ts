/** Runs a headless task: sends messages to the session and reports its events on standard output and error. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Model from "../../domain/provider/Model.ts"
import * as Budget from "../../domain/session/Budget.ts"
import type * as Session from "../../domain/session/Session.ts"
import * as StructuredResult from "../../domain/session/StructuredResult.ts"
import type { Followed } from "../../domain/session/SessionEvent.ts"
import { Agent } from "../../services/Agent.ts"
import { Mcp } from "../../services/Mcp.ts"
import { Redactor } from "../../services/Redactor.ts"
import { Tools } from "../../services/Tools.ts"
import { InputError, type OutputError } from "../process/CliError.ts"
import { Conclusion } from "../process/Conclusion.ts"
import * as ExitCode from "../process/ExitCode.ts"
import { Host } from "../process/Host.ts"
import * as StreamJson from "../render/json/StreamJson.ts"
import * as PlainText from "../render/text/PlainText.ts"
import * as RunSummary from "../render/json/RunSummary.ts"
import * as Theme from "../render/text/Theme.ts"
import * as SlashList from "../render/terminal/SlashList.ts"
import type * as StreamInput from "./StreamInput.ts"
import * as StreamOutput from "./StreamOutput.ts"
import * as JsonSchemaFlag from "../start/JsonSchemaFlag.ts"
import * as ReportProgress from "./ReportProgress.ts"

/** `fromSeq`: the first event to report. `schemaCheck`: validates the result. */
export interface Options {
  readonly fromSeq: number
  readonly messages: Stream.Stream<StreamInput.InputMessage, InputError>
  readonly verbose: boolean
  readonly schemaCheck?: JsonSchemaFlag.SchemaCheck
}

/** Runs until the task ends, and returns the ending. If interrupted, it stops the task and reports how its calls ended. */
export const run = Effect.fnUntraced(function*(state: Session.Session, options: Options) {
  const agent = yield* Agent
  const { report } = yield* Conclusion
  const session = state.id
  yield* Ref.set(report, RunSummary.of(session, state.settings))
  const reporter = yield* makeReporter(state, options)
  const { wallMs } = state.settings.limits
  let isTimedOut = false
  let hasCompacted = false
  /** The time limit also interrupts a running request or call, not only the next step. */
  const deadline = wallMs === undefined ? Effect.void : Effect.suspend(() => {
    isTimedOut = true
    return agent.interrupt(session, `The time limit of ${Math.round(wallMs / 1000)} s is reached.`)
  }).pipe(Effect.delay(wallMs), Effect.forkChild)
  const sendMessages = Effect.gen(function*() {
    yield* Stream.runForEach(options.messages, ({ delivery, text }) => {
      const compactArgs = compactInput(text)
      hasCompacted ||= compactArgs !== undefined
      return compactArgs === undefined ? agent.say(session, text, delivery) : agent.compact(session, compactArgs)
    })
    if (!hasCompacted && (yield* agent.state(session)).task.state === "idle") {
      return yield* new InputError({ message: "Standard input contains no message." })
    }
  })
  const waitForTask = options.schemaCheck === undefined
    ? Effect.asVoid(agent.settled(session))
    : retryUntilValid(session, options.schemaCheck)
  const task = Effect.gen(function*() {
    yield* deadline
    const follower = yield* agent.follow(session, options.fromSeq).pipe(
      Stream.filter(({ _tag }) => _tag === "Settled" || _tag === "Notice"), // live tokens are not reported
      Stream.runForEach(reporter.show),
      Effect.forkChild({ startImmediately: true })
    )
    yield* Effect.raceFirst(Effect.andThen(sendMessages, waitForTask), Effect.andThen(Fiber.join(follower), Effect.never))
    yield* Fiber.interrupt(follower)
    yield* reporter.showRemaining
    yield* reporter.finish
  })
  yield* Effect.onInterrupt(
    task,
    () => Effect.ignore(Effect.andThen(agent.interrupt(session, "The process was told to stop."), reporter.showRemaining))
  )
  const { outcome, providerFailure } = yield* Ref.get(report)
  if (outcome === "no") {
    return isTimedOut
      ? ExitCode.fromTask("time", providerFailure)
      : hasCompacted
      ? ExitCode.endings.finished
      : ExitCode.endings.interrupted
  }
  if (outcome !== "finished") return ExitCode.fromTask(outcome, providerFailure)
  return options.schemaCheck === undefined ? ExitCode.endings.finished : yield* checkResult(options.schemaCheck)
}, Effect.scoped)

/** Reports each event once: `show` reports one, `showRemaining` those not yet reported, `finish` the summary. */
const makeReporter = Effect.fnUntraced(function*(state: Session.Session, { fromSeq, verbose }: Options) {
  const session = state.id
  const agent = yield* Agent
  const { format, report } = yield* Conclusion
  const { environment, stderr, stdout } = yield* Host
  const { redact } = yield* Redactor
  const theme = Theme.of("auto", stderr.tty, environment.variables)
  const writeLine = yield* StreamOutput.open
  const progressReporter = yield* ReportProgress.make(session, verbose, writeLine)
  if (format === "stream-json") yield* writeLine(StreamJson.init(yield* describe(state)))
  let lastSeq = fromSeq - 1
  let progress = PlainText.initial()
  const writeStderr = Effect.fnUntraced(function*(lines: string) {
    if (lines !== "") yield* Effect.ignore(stderr.write((yield* redact)(lines)))
  })
  const writeProgress = (followed: Followed): Effect.Effect<void> => {
    const [next, lines] = PlainText.update(progress, followed, theme)
    progress = next
    return writeStderr(lines)
  }
  const show = (followed: Followed): Effect.Effect<void, OutputError> =>
    Effect.uninterruptible(Effect.gen(function*() {
      if (verbose || (followed._tag === "Settled" && PlainText.isImportant(followed.at.event))) yield* writeProgress(followed)
      if (followed._tag !== "Settled") return
      const { event } = followed.at
      if (!verbose && event._tag === "BudgetSettled") {
        for (const note of Budget.settlementNotes(event)) yield* writeStderr(`dacapo: ${note}\n`)
      }
      lastSeq = followed.at.seq
      const { model } = yield* Ref.updateAndGet(report, (current) => RunSummary.update(current, followed.at))
      if (format === "events") yield* stdout.write(StreamJson.line(followed.at))
      yield* writeLine(StreamJson.message(session, model, followed.at))
      yield* progressReporter.handle(followed.at)
    }))
  const showRemaining = Effect.gen(function*() {
    const { seq } = yield* agent.state(session)
    if (lastSeq >= seq) return
    yield* agent.follow(session, lastSeq + 1).pipe(
      Stream.takeUntil((followed) => followed._tag === "Settled" && followed.at.seq >= seq),
      Stream.runForEach(show)
    )
  })
  return { show, showRemaining, finish: progressReporter.finish }
})

/** Waits for a result that conforms to the schema; asks the model to correct an invalid one, up to `maxRetries` times. */
const retryUntilValid = Effect.fnUntraced(function*(session: string, { check }: JsonSchemaFlag.SchemaCheck) {
  const agent = yield* Agent
  for (let attempt = 0;; attempt++) {
    const { task } = yield* agent.settled(session)
    const result = check(task.result)
    if (task.state !== "finished" || Result.isSuccess(result) || attempt === StructuredResult.maxRetries) return
    yield* agent.say(session, StructuredResult.correctionPrompt(result.failure))
  }
})

/** Validates the final result and stores its value in the report. */
const checkResult = Effect.fnUntraced(function*({ check }: JsonSchemaFlag.SchemaCheck) {
  const { report } = yield* Conclusion
  const result = check((yield* Ref.get(report)).result)
  yield* Ref.update(report, (current) =>
    Result.isSuccess(result)
      ? { ...current, structured: result.success, result: JSON.stringify(result.success) }
      : {
        ...current,
        result: `The result does not conform to --json-schema after ${StructuredResult.maxRetries} retries: ${result.failure}.`
      })
  return Result.isSuccess(result) ? ExitCode.endings.finished : ExitCode.endings.schema
})

/** The instructions of a `/compact` prompt; undefined for any other prompt. */
const compactInput = (prompt: string): string | undefined => {
  const command = SlashList.parse(prompt)
  return command?.slash.name === "compact" ? command.args : undefined
}

/** The content of the first line of a stream. */
const describe = Effect.fnUntraced(function*(session: Session.Session) {
  const { cwd, id, settings } = session
  const mcp = yield* Mcp
  const tools = yield* Tools
  const { servers } = yield* Effect.orElseSucceed(mcp.list(cwd), () => ({ servers: [] }))
  return {
    session: id,
    cwd,
    model: Model.title(settings.model),
    mode: settings.mode,
    tools: tools.specs(session).map(({ name }) => name),
    servers: servers.map(({ definition: { disabled, name } }) => ({ name, status: disabled ? "disabled" : "pending" }))
  }
})
