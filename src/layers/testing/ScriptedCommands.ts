/** Background commands that run nothing: a script answers them, their output stays in memory, and nothing waits for time. */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type BackgroundCommand, BackgroundCommands, type Output } from "../../services/BackgroundCommands.ts"
import { type Exit, noTerminal, Shell } from "../../services/Shell.ts"
import * as CollectOutput from "../workspace/shell/CollectOutput.ts"
import * as FakeShell from "./FakeShell.ts"

const maxOutputCharacters = 48_000

/** The same script as `FakeShell`'s: a command that its result timed out runs until it is stopped. */
export const layer = (script: FakeShell.Script = {}): Layer.Layer<BackgroundCommands> => Layer.provide(commands, FakeShell.layer(script))

const commands = Layer.effect(
  BackgroundCommands,
  Effect.gen(function*() {
    const shell = yield* Shell
    const scope = yield* Effect.scope
    const sessions = new Map<string, Map<string, BackgroundCommand>>()
    const running = (session: string) => [...sessions.get(session)?.values() ?? []].filter(({ exit }) => exit() === undefined)

    return BackgroundCommands.of({
      start: Effect.fnUntraced(
        function*({ id, marksStderr: _, onOutput, session, ...program }) {
          yield* sessions.get(session)?.get(id)?.close ?? Effect.void
          let settledText = ""
          const collector = CollectOutput.make({ maxOutputCharacters, onOutput, onSettled: (text) => void (settledText += text) })
          const { exit: awaitExit, input: terminalInput, ports, stop: stopProgram, type } = yield* shell.start({
            ...program,
            onBytes: collector.take
          })
          const startedAt = yield* Clock.currentTimeMillis
          let exit: Exit | undefined
          let durationMs: number | undefined
          let isReported = false
          const completion = yield* awaitExit.pipe(
            Effect.tap((status) =>
              Effect.map(Clock.currentTimeMillis, (now) => {
                collector.show()
                durationMs = now - startedAt
                exit = status
              })
            ),
            Effect.forkIn(scope, { startImmediately: true })
          )
          collector.show()
          const released = yield* Deferred.make<void>()
          const stop = Effect.andThen(stopProgram, Effect.asVoid(Fiber.await(completion)))
          const command: BackgroundCommand = {
            id,
            command: program.command,
            exit: () => exit,
            durationMs: () => durationMs,
            report: Effect.sync(() => void (isReported = true)),
            isReported: () => isReported,
            output: outputOf(() => settledText, collector),
            // Time changes nothing here: a command that still runs does so until it is stopped.
            wait: () => Effect.yieldNow,
            ports,
            hasTerminal: program.terminal === true,
            input: Effect.suspend(() => exit === undefined ? terminalInput : Effect.succeed(noTerminal)),
            type: (input, secret) =>
              Effect.suspend(() => {
                if (secret !== undefined) collector.hide(secret)
                return exit === undefined ? type(input) : Effect.succeed(false)
              }),
            dismiss: Effect.void,
            release: Effect.asVoid(Deferred.succeed(released, undefined)),
            released: Deferred.await(released),
            detach: Effect.void,
            stop,
            close: Effect.andThen(stop, Effect.sync(() => void sessions.get(session)?.delete(id)))
          }
          sessions.set(session, (sessions.get(session) ?? new Map<string, BackgroundCommand>()).set(id, command))
          return command
        },
        Effect.uninterruptible,
        Scope.provide(scope)
      ),
      find: (session, id) => Effect.sync(() => sessions.get(session)?.get(id)),
      list: (session) => Effect.sync(() => [...sessions.get(session)?.values() ?? []]),
      running: (session) => Effect.sync(() => running(session)),
      stop: (session) => Effect.suspend(() => Effect.forEach(running(session), ({ stop }) => stop, { discard: true }))
    })
  })
)

const outputOf = (settledText: () => string, collector: CollectOutput.Collector): Output => {
  let nextLine = 1
  const settledCount = () => settledText().split("\n").length - 1
  const lines = () => `${settledText()}${collector.line()}`.replace(/\n$/, "").split("\n")
  const count = () => settledCount() + (collector.line() === "" ? 0 : 1)
  return {
    excerpt: collector.result,
    count,
    look: () => {
      const from = nextLine
      nextLine = settledCount() + 1
      return from
    },
    lines: (from) => Stream.suspend(() => from > count() ? Stream.empty : Stream.succeed({ first: from, lines: lines().slice(from - 1) }))
  }
}
