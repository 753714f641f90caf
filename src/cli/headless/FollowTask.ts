/** A session without anyone watching: what is said to it, and what of it is told to whoever reads our output. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Model from "../../domain/provider/Model.ts"
import type * as Session from "../../domain/session/Session.ts"
import type { Followed } from "../../domain/session/SessionEvent.ts"
import { Agent } from "../../services/Agent.ts"
import { Mcp } from "../../services/Mcp.ts"
import { Redactor } from "../../services/Redactor.ts"
import { Tools } from "../../services/Tools.ts"
import { InputError, type OutputError } from "../process/CliError.ts"
import { Conclusion } from "../process/Conclusion.ts"
import * as ExitCode from "../process/ExitCode.ts"
import { Host } from "../process/Host.ts"
import * as Json from "../render/json/StreamJson.ts"
import * as Plain from "../render/text/PlainText.ts"
import * as Report from "../render/json/RunSummary.ts"
import * as Theme from "../render/text/Theme.ts"
import * as Slash from "../render/terminal/SlashList.ts"
import type * as StreamInput from "./StreamInput.ts"
import * as StreamOutput from "./StreamOutput.ts"
import * as Structured from "../start/JsonSchemaFlag.ts"
import * as Working from "./ReportProgress.ts"

/** `from`: the first event that is told. `structured`: what the answer must be. */
export interface Options {
  readonly from: number
  readonly says: Stream.Stream<StreamInput.Said, InputError>
  readonly verbose: boolean
  readonly structured?: Structured.Structured
}

/** Runs until nothing is left to do, and gives the ending. Interrupted, it stops the task and tells how its calls ended. */
export const run = Effect.fnUntraced(function*(state: Session.Session, options: Options) {
  const agent = yield* Agent
  const { report } = yield* Conclusion
  const session = state.id
  yield* Ref.set(report, Report.of(session, state.settings))
  const teller = yield* telling(state, options)
  const { wallMs } = state.settings.limits
  let late = false
  let compacted = false
  /** A limit on time also ends what is running, not only what would come next. */
  const deadline = wallMs === undefined ? Effect.void : Effect.suspend(() => {
    late = true
    return agent.interrupt(session, `The time limit of ${Math.round(wallMs / 1000)} s is reached.`)
  }).pipe(Effect.delay(wallMs), Effect.forkChild)
  const heard = Effect.gen(function*() {
    yield* Stream.runForEach(options.says, ({ delivery, text }) => {
      const words = compaction(text)
      compacted ||= words !== undefined
      return words === undefined ? agent.say(session, text, delivery) : agent.compact(session, words)
    })
    if (!compacted && (yield* agent.state(session)).task.state === "idle") {
      return yield* new InputError({ message: "There is no message on standard input." })
    }
  })
  const worked = options.structured === undefined ? Effect.asVoid(agent.settled(session)) : insisted(session, options.structured)
  const task = Effect.gen(function*() {
    yield* deadline
    const follower = yield* agent.follow(session, options.from).pipe(
      Stream.filter(({ _tag }) => _tag === "Settled" || _tag === "Notice"), // tokens are thousands, and nobody here shows them
      Stream.runForEach(teller.show),
      Effect.forkChild({ startImmediately: true })
    )
    yield* Effect.raceFirst(Effect.andThen(heard, worked), Effect.andThen(Fiber.join(follower), Effect.never))
    yield* Fiber.interrupt(follower)
    yield* teller.rest
    yield* teller.end
  })
  yield* Effect.onInterrupt(task, () =>
    Effect.ignore(Effect.andThen(agent.interrupt(session, "The process was told to stop."), teller.rest)))
  const { ended, provider } = yield* Ref.get(report)
  if (ended === "no") return late ? ExitCode.ofTask("time", provider) : compacted ? ExitCode.endings.finished : ExitCode.endings.interrupted
  if (ended !== "finished") return ExitCode.ofTask(ended, provider)
  return options.structured === undefined ? ExitCode.endings.finished : yield* structured(options.structured)
}, Effect.scoped)

/** Tells events, each once: `show` one, `rest` those that were not told yet, `end` what all of it was. */
const telling = Effect.fnUntraced(function*(state: Session.Session, { from, verbose }: Options) {
  const session = state.id
  const agent = yield* Agent
  const { format, report } = yield* Conclusion
  const { environment, stderr, stdout } = yield* Host
  const { redact } = yield* Redactor
  const theme = Theme.of("auto", stderr.tty, environment.variables)
  const line = yield* StreamOutput.open
  const working = yield* Working.make(session, verbose, line)
  if (format === "stream-json") yield* line(Json.init(yield* describe(state)))
  let seen = from - 1
  let progress = Plain.initial()
  const aside = Effect.fnUntraced(function*(lines: string) {
    if (lines !== "") yield* Effect.ignore(stderr.write((yield* redact)(lines)))
  })
  const tell = (followed: Followed): Effect.Effect<void> => {
    const [next, lines] = Plain.update(progress, followed, theme)
    progress = next
    return aside(lines)
  }
  const show = (followed: Followed): Effect.Effect<void, OutputError> =>
    Effect.uninterruptible(Effect.gen(function*() {
      if (verbose || (followed._tag === "Settled" && Plain.matters(followed.at.event))) yield* tell(followed)
      if (followed._tag !== "Settled") return
      const { event } = followed.at
      if (!verbose && event._tag === "BudgetSettled" && event.warning !== undefined) {
        yield* aside(`dacapo: ${event.warning}% of the budget is used.\n`)
      }
      seen = followed.at.seq
      const { model } = yield* Ref.updateAndGet(report, (before) => Report.update(before, followed.at))
      if (format === "events") yield* stdout.write(Json.line(followed.at))
      yield* line(Json.message(session, model, followed.at))
      yield* working.on(followed.at)
    }))
  const rest = Effect.gen(function*() {
    const { seq } = yield* agent.state(session)
    if (seen >= seq) return
    yield* agent.follow(session, seen + 1).pipe(
      Stream.takeUntil((followed) => followed._tag === "Settled" && followed.at.seq >= seq),
      Stream.runForEach(show)
    )
  })
  return { show, rest, end: working.end }
})

/** Waits until the task has an answer that fits; one that does not is asked for again, a few times. */
const insisted = Effect.fnUntraced(function*(session: string, { check }: Structured.Structured) {
  const agent = yield* Agent
  for (let tries = 0; ; tries++) {
    const { task } = yield* agent.settled(session)
    const checked = check(task.result)
    if (task.state !== "finished" || Result.isSuccess(checked) || tries === Structured.retries) return
    yield* agent.say(session, Structured.again(checked.failure))
  }
})

/** The answer as the value that it is. */
const structured = Effect.fnUntraced(function*({ check }: Structured.Structured) {
  const { report } = yield* Conclusion
  const checked = check((yield* Ref.get(report)).result)
  yield* Ref.update(report, (before) => Result.isSuccess(checked)
    ? { ...before, structured: checked.success, result: JSON.stringify(checked.success) }
    : { ...before, result: `After ${Structured.retries} more tries the answer still does not conform to --json-schema: ${checked.failure}.` })
  return Result.isSuccess(checked) ? ExitCode.endings.finished : ExitCode.endings.structured
})

/** What is to be kept, where a prompt asks dacapo itself to make the conversation smaller; undefined where it asks the model. */
const compaction = (prompt: string): string | undefined => {
  const called = Slash.called(prompt)
  return called?.slash.name === "compact" ? called.words : undefined
}

/** What the first line of a stream says. */
const describe = Effect.fnUntraced(function*(session: Session.Session) {
  const { cwd, id, settings } = session
  const mcp = yield* Mcp
  const tools = yield* Tools
  const { servers } = yield* Effect.orElseSucceed(mcp.known(cwd), () => ({ servers: [] }))
  return {
    session: id,
    cwd,
    model: Model.title(settings.model),
    mode: settings.mode,
    tools: tools.specs(session).map(({ name }) => name),
    servers: servers.map(({ definition: { disabled, name } }) => ({ name, status: disabled ? "disabled" : "pending" }))
  }
})
