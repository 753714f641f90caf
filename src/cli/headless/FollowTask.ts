/** Runs one headless task: sends the prompt to the session and reports its events on standard output and error. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import type * as Session from "../../domain/session/Session.ts"
import * as StructuredResult from "../../domain/session/StructuredResult.ts"
import { Agent } from "../../services/Agent.ts"
import { Conclusion } from "../process/Conclusion.ts"
import * as ExitCode from "../process/ExitCode.ts"
import * as RunSummary from "../render/json/RunSummary.ts"
import * as SlashList from "../render/terminal/SlashList.ts"
import * as JsonSchemaFlag from "../start/JsonSchemaFlag.ts"
import * as TaskReporter from "./TaskReporter.ts"

/** Without a `prompt` the session continues its task. `schemaCheck` validates the result. */
export interface Options extends TaskReporter.Options {
  readonly prompt: string | undefined
  readonly schemaCheck?: JsonSchemaFlag.SchemaCheck
}

/** Runs until the task ends, and returns the ending. If interrupted, it stops the task and reports how its calls ended. */
export const run = Effect.fnUntraced(function*(state: Session.Session, options: Options) {
  const agent = yield* Agent
  const { report } = yield* Conclusion
  const session = state.id
  yield* Ref.set(report, RunSummary.of(session, state.settings))
  const reporter = yield* TaskReporter.make(state, options)
  const { wallMs } = state.settings.limits
  let isTimedOut = false
  let hasCompacted = false
  /** The time limit also interrupts a running request or call, not only the next step. */
  const deadline = wallMs === undefined ? Effect.void : Effect.suspend(() => {
    isTimedOut = true
    return agent.interrupt(session, `The time limit of ${Math.round(wallMs / 1000)} s is reached.`)
  }).pipe(Effect.delay(wallMs), Effect.forkChild)
  const sendPrompt = Effect.gen(function*() {
    const { prompt } = options
    if (prompt === undefined) return
    const compactArgs = SlashList.compactInstructions(prompt)
    hasCompacted = compactArgs !== undefined
    yield* compactArgs === undefined ? agent.say(session, prompt, "task") : agent.compact(session, compactArgs)
  })
  const waitForTask = options.schemaCheck === undefined
    ? Effect.asVoid(agent.settled(session))
    : retryUntilValid(session, options.schemaCheck)
  const task = Effect.gen(function*() {
    yield* deadline
    const follower = yield* Effect.forkChild(reporter.follow, { startImmediately: true })
    yield* Effect.raceFirst(Effect.andThen(sendPrompt, waitForTask), Effect.andThen(Fiber.join(follower), Effect.never))
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
export const checkResult = Effect.fnUntraced(function*({ check }: JsonSchemaFlag.SchemaCheck) {
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
