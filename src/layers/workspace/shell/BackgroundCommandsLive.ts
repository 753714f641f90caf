/** Background commands, in the scope of this layer: running ones are ended when it closes. */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { join } from "node:path"
import * as TraceContext from "../../../domain/telemetry/TraceContext.ts"
import { Environment } from "../../../services/Environment.ts"
import {
  type StartOptions,
  type BackgroundCommand,
  BackgroundCommands,
  type Lines,
  type Output
} from "../../../services/BackgroundCommands.ts"
import { type Exit as ExitStatus, noTerminal, Shell } from "../../../services/Shell.ts"
import { withRealClock } from "../../../services/process/RealClock.ts"
import { Telemetry } from "../../../services/process/Telemetry.ts"
import * as CollectOutput from "./CollectOutput.ts"
import * as OutputFile from "./OutputFile.ts"

/** Characters of head and tail in one view of a command's output. */
const maxCharacters = 48_000

/**
 * Finished commands of a session that can still be read, and as many of which all was reported; beyond that, the oldest are
 * discarded.
 */
const maxFinishedCommands = 8

/** ms between two checks of new output, and of whether there is enough. */
const intervalsMs = { show: 50, wait: 100 }

export const layer: Layer.Layer<BackgroundCommands, never, Environment | Shell> = Layer.effect(
  BackgroundCommands,
  Effect.gen(function*() {
    const { folders } = yield* Environment
    const shell = yield* Shell
    const telemetry = yield* Telemetry
    const scope = yield* Effect.scope
    /** The call's span, as programs that trace themselves expect their parent (W3C Trace Context). */
    const spanVariables = (session: string, call: string): Readonly<Record<string, string>> => {
      const span = telemetry.spanOf(session, call)
      return span === undefined ? {} : { TRACEPARENT: TraceContext.format(span) }
    }
    const sessions = new Map<string, Map<string, BackgroundCommand>>()
    const dismissed = new WeakSet<BackgroundCommand>()
    const commandsOf = (session: string): ReadonlyArray<BackgroundCommand> => [...sessions.get(session)?.values() ?? []]
    const running = (session: string) => commandsOf(session).filter((command) => command.exit() === undefined)

    const start = Effect.fn("Jobs.start")(
      function*({ id, marksStderr = false, onOutput, session, ...program }: StartOptions) {
        yield* forgetOldest(session)
        yield* forget(session, id)
        const commandScope = yield* Scope.make()
        const file = OutputFile.make(join(folders.cache, "output"))
        const collector = CollectOutput.make({ maxOutputCharacters: maxCharacters, onOutput, onSettled: file.write })
        const launch = shell.start({
          ...program,
          variables: { ...program.variables, ...spanVariables(session, id) },
          call: { session, id },
          onBytes: collector.take,
          ...(marksStderr && program.terminal !== true ? { onErrorBytes: collector.takeError } : {})
        }).pipe(Scope.provide(commandScope))
        const { exit, input: terminalInput, ports, stop, type } = yield* Effect.onError(launch, () => Scope.close(commandScope, Exit.void))
        const startedAt = yield* Clock.currentTimeMillis
        let exitStatus: ExitStatus | undefined
        let durationMs: number | undefined
        let isReported = false
        const end = (status: ExitStatus) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            durationMs = now - startedAt
            exitStatus = status
          })
        const display = yield* Effect.forkIn(
          Effect.forever(Effect.andThen(Effect.sleep(intervalsMs.show), Effect.sync(collector.show))),
          commandScope
        )
        const completion = yield* exit.pipe(
          Effect.tap((status) => Effect.andThen(Effect.sync(collector.show), end(status))),
          Effect.tapDefect(() => end({ code: null, signal: null })),
          Effect.tap(() => Fiber.interrupt(display)),
          Effect.forkIn(commandScope)
        )
        const released = yield* Deferred.make<void>()
        const command: BackgroundCommand = {
          id,
          release: Effect.asVoid(Deferred.succeed(released, undefined)),
          released: Deferred.await(released),
          command: program.command,
          exit: () => exitStatus,
          durationMs: () => durationMs,
          report: Effect.sync(() => void (isReported = true)),
          isReported: () => isReported,
          output: outputOf(collector, file),
          ports: Effect.suspend(() => exitStatus === undefined ? ports : Effect.succeed([])),
          hasTerminal: program.terminal === true,
          input: Effect.suspend(() => exitStatus === undefined ? terminalInput : Effect.succeed(noTerminal)),
          type: (input, secret) =>
            Effect.suspend(() => {
              if (secret !== undefined) collector.hide(secret)
              return exitStatus === undefined ? type(input) : Effect.succeed(false)
            }),
          wait: (ms, enough = Effect.succeed(false)) => waitFor(Effect.flatMap(Fiber.await(completion), defectOf), enough, ms),
          detach: Effect.asVoid(Fiber.interrupt(display)),
          stop: Effect.andThen(stop, Effect.asVoid(Fiber.await(completion))),
          dismiss: Effect.suspend(() => {
            dismissed.add(command)
            return Scope.close(commandScope, Exit.void)
          }),
          close: Effect.suspend(() => {
            sessions.get(session)?.delete(id)
            return Effect.andThen(Scope.close(commandScope, Exit.void), Effect.sync(file.close))
          })
        }
        const commands = sessions.get(session) ?? new Map<string, BackgroundCommand>()
        sessions.set(session, commands.set(id, command))
        return command
      },
      Effect.uninterruptible,
      withRealClock
    )

    /** A call that runs again, because its first result was never logged, may have left a command running. */
    const forget = (session: string, id: string): Effect.Effect<void> =>
      Effect.suspend(() => {
        const command = sessions.get(session)?.get(id)
        return command === undefined ? Effect.void : Effect.andThen(command.stop, command.close)
      })

    const forgetOldest = (session: string): Effect.Effect<void> =>
      Effect.suspend(() => {
        const finishedCommands = commandsOf(session).filter((command) => command.exit() !== undefined)
        const oldest = [true, false].flatMap((isDismissed) =>
          finishedCommands.filter((command) => dismissed.has(command) === isDismissed).slice(0, -maxFinishedCommands)
        )
        return Effect.forEach(oldest, ({ close }) => close, { discard: true })
      })

    yield* Scope.addFinalizer(
      scope,
      Effect.suspend(() =>
        Effect.forEach([...sessions.keys()].flatMap(commandsOf), ({ close }) => close, { concurrency: "unbounded", discard: true })
      )
    )

    return BackgroundCommands.of({
      start,
      list: (session) => Effect.sync(() => commandsOf(session)),
      running: (session) => Effect.sync(() => running(session)),
      find: (session, id) => Effect.sync(() => sessions.get(session)?.get(id)),
      stop: (session) =>
        Effect.suspend(() => Effect.forEach(running(session), ({ stop }) => stop, { concurrency: "unbounded", discard: true }))
    })
  })
)

/** A shell that broke ends the wait for its command with that defect; a command that was closed ends it as any other end does. */
const defectOf = (exit: Exit.Exit<unknown>): Effect.Effect<void> =>
  Exit.isFailure(exit) && Cause.hasDies(exit.cause) ? Effect.failCause(exit.cause) : Effect.void

/** Until it has ended, there is enough, or the time is up. */
const waitFor = (completion: Effect.Effect<unknown>, isEnough: Effect.Effect<boolean>, ms: number): Effect.Effect<void> => {
  const polling = Effect.gen(function*() {
    while (!(yield* isEnough)) yield* Effect.sleep(intervalsMs.wait)
  })
  return Effect.raceFirst(completion, polling).pipe(Effect.timeoutOption(ms), Effect.asVoid, withRealClock)
}

const outputOf = (collector: CollectOutput.Collector, file: OutputFile.OutputFile): Output => {
  let nextLine = 1
  const line = (): ReadonlyArray<string> => {
    const text = collector.line()
    return text === "" ? [] : [text]
  }
  const pending = (from: number): Stream.Stream<Lines> =>
    Stream.suspend(() => {
      const first = file.count() + 1
      return from > first ? Stream.empty : Stream.fromIterable(line().map((text) => ({ first, lines: [text] })))
    })
  return {
    excerpt: collector.result,
    count: () => file.count() + line().length,
    look: () => {
      const from = nextLine
      nextLine = file.count() + 1
      return from
    },
    lines: (from) => Stream.concat(Stream.orDie(Stream.fromAsyncIterable(file.read(from), (cause) => cause)), pending(from))
  }
}
