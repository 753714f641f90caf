/**
 * Runs the tasks of streaming input: messages and control lines go to the session as they arrive, and each task has a result of its
 * own. The run ends when the input has ended and nothing is left to do.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import type * as Session from "../../domain/session/Session.ts"
import type { SessionEvent } from "../../domain/session/SessionEvent.ts"
import * as StructuredResult from "../../domain/session/StructuredResult.ts"
import * as Controller from "../../layers/control/Controller.ts"
import type { PendingRequests } from "../../layers/control/PendingRequests.ts"
import { Agent } from "../../services/Agent.ts"
import type { Values } from "../args/Flags.ts"
import { InputError } from "../process/CliError.ts"
import { Conclusion } from "../process/Conclusion.ts"
import * as ExitCode from "../process/ExitCode.ts"
import * as RunSummary from "../render/json/RunSummary.ts"
import type * as StreamJsonSchema from "../render/json/StreamJsonSchema.ts"
import * as JsonSchemaFlag from "../start/JsonSchemaFlag.ts"
import * as ControlRequests from "./ControlRequests.ts"
import * as SlashList from "../render/terminal/SlashList.ts"
import * as FollowTask from "./FollowTask.ts"
import * as PermissionPrompts from "./PermissionPrompts.ts"
import type { ProgramInput } from "./ProgramInput.ts"
import * as StreamInput from "./StreamInput.ts"
import * as TaskReporter from "./TaskReporter.ts"

/** `values` are the flags; `pending` holds the requests that the program answers (`--permission-prompt-tool stdio`). */
export interface Options extends Omit<TaskReporter.Options, "afterEvent">, Pick<ProgramInput, "connection" | "firstLine" | "lines"> {
  readonly values: Values
  readonly pending: PendingRequests
  readonly prompt: string | undefined
  readonly schemaCheck?: JsonSchemaFlag.SchemaCheck
}

export const run = Effect.fnUntraced(function*(state: Session.Session, options: Options) {
  const agent = yield* Agent
  const { concludeTask, names, report } = yield* Conclusion
  const { connection, firstLine, lines, pending, schemaCheck, values } = options
  const session = state.id
  const { wallMs } = state.settings.limits
  yield* Ref.set(report, RunSummary.of(session, state.settings))
  let ending: ExitCode.Ending = ExitCode.endings.finished
  let isTimedOut = false
  let attempts = 0
  /** A result is due without the end of a task: after an interruption, or a compaction that the program asked for. */
  let due: ExitCode.Ending | undefined

  const conclude = (next: ExitCode.Ending) => {
    ending = next
    due = undefined
    attempts = 0
    return concludeTask(next)
  }

  /** The result of a finished task; with a schema, the model is asked to correct a result that does not conform. */
  const concludeFinished = Effect.gen(function*() {
    if (schemaCheck === undefined) return yield* conclude(ExitCode.endings.finished)
    const check = schemaCheck.check((yield* Ref.get(report)).result)
    if (Result.isFailure(check) && attempts++ < StructuredResult.maxRetries) {
      return yield* Effect.orDie(agent.say(session, StructuredResult.correctionPrompt(check.failure)))
    }
    yield* conclude(yield* FollowTask.checkResult(schemaCheck))
  }).pipe(Effect.provideService(Conclusion, yield* Conclusion))

  const afterEvent = Effect.fnUntraced(function*({ event, seq }: SessionEvent) {
    if (event._tag === "TaskFinished") return yield* concludeFinished
    if (event._tag === "TaskFailed") {
      return yield* conclude(ExitCode.fromTask(event.reason, (yield* Ref.get(report)).providerFailure))
    }
    const now = yield* Effect.orDie(agent.state(session))
    if (event._tag === "Interrupted") due = isTimedOut ? ExitCode.endings.time : ExitCode.stoppedByProgram
    if (event._tag === "CompactionAsked" && now.task.state !== "running") due = ExitCode.endings.finished
    const isSettled = now.seq <= seq && now.task.state !== "running" && !now.windowUsage.isRequested
    if (due !== undefined && (isSettled || event._tag === "UserSaid")) yield* conclude(due)
  })

  const reporter = yield* TaskReporter.make(state, { ...options, afterEvent })
  const { writeLine } = reporter
  yield* connection.open(writeLine)
  const controller = yield* Controller.make<InputError>({
    pending,
    resolve: () => Effect.fail(new InputError({ message: "A run on standard input has one session." }))
  })
  const prompts = PermissionPrompts.make({ session, controller, pending, writeLine, names })
  const requests = yield* ControlRequests.make(state, {
    controller,
    writeLine,
    canBypass: values.allowBypass === true,
    program: connection,
    agents: options.agents ?? []
  })
  /** A program that speaks the control protocol may send no message at all. */
  const hasControl = firstLine?.type === "control_request"

  const say = Effect.fnUntraced(function*(message: StreamInput.InputMessage) {
    const instructions = SlashList.compactInstructions(message.text)
    yield* controller.run(
      instructions === undefined ? { _tag: "Say", session, ...message } : { _tag: "Compact", session, instructions }
    ).pipe(Effect.catchTag("ControlError", ({ message }) => new InputError({ message })))
  })

  const takeLine = Effect.fnUntraced(function*(line: StreamJsonSchema.Input) {
    switch (line.type) {
      case "user":
        if (values.replayUserMessages === true) yield* writeLine(echo(session, line))
        return yield* say(StreamInput.message(line))
      case "control_request":
        return yield* requests.handle(line)
      case "control_response":
        return connection.respond(line) ? undefined : yield* prompts.respond(line)
      default:
        return
    }
  })

  const readInput = Effect.gen(function*() {
    if (options.prompt !== undefined) yield* say({ text: options.prompt, delivery: "task" })
    for (let line = firstLine ?? (yield* lines.next); line !== undefined; line = yield* lines.next) yield* takeLine(line)
    yield* prompts.close
    yield* connection.close
    yield* requests.settled
    const { task } = yield* agent.settled(session)
    if (!hasControl && task.state === "idle") return yield* new InputError({ message: "Standard input contains no message." })
  })

  const deadline = wallMs === undefined ? Effect.void : Effect.suspend(() => {
    isTimedOut = true
    return agent.interrupt(session, `The time limit of ${Math.round(wallMs / 1000)} s is reached.`)
  }).pipe(Effect.delay(wallMs), Effect.forkChild)

  const work = Effect.gen(function*() {
    yield* deadline
    const follower = yield* Effect.forkChild(reporter.follow, { startImmediately: true })
    const asking = yield* Effect.forkChild(prompts.ask, { startImmediately: true })
    const failed = Effect.andThen(Effect.raceFirst(Fiber.join(follower), Fiber.join(asking)), Effect.never)
    yield* Effect.raceFirst(readInput, failed)
    yield* Fiber.interrupt(follower)
    yield* reporter.showRemaining
    // A corrected result is another task.
    yield* agent.settled(session)
    yield* reporter.showRemaining
    yield* reporter.finish
  })
  yield* Effect.onInterrupt(
    work,
    () => Effect.ignore(Effect.andThen(agent.interrupt(session, "The process was told to stop."), reporter.showRemaining))
  )
  return ending
}, Effect.scoped)

/** A message of the user as it was accepted. */
const echo = (session: string, { message, uuid }: StreamJsonSchema.UserInput): StreamJsonSchema.Line => ({
  type: "user",
  session_id: session,
  parent_tool_use_id: null,
  isReplay: true,
  message,
  ...(uuid === undefined ? {} : { uuid })
})
