/** A shell that passes every command to one function: for programs that run commands elsewhere, and for tests. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Truncate from "../../../domain/tool/Truncate.ts"
import { optional } from "../../../domain/Optional.ts"
import { type Command, type CommandResult, type Exit, noTerminal, type Program, Shell } from "../../../services/Shell.ts"

/**
 * What the function runs. `input` is for its standard input, `variables` are for its environment: hooks and background commands have
 * them, and without their input hooks know nothing of the event.
 */
export interface FunctionCommand extends Command, Pick<Program, "input" | "variables"> {}

/** What the function returns; by default the command printed nothing and succeeded. `ports`: what it listens on. */
export type FunctionResult = Partial<CommandResult> & { readonly ports?: ReadonlyArray<number> }

/**
 * A command for which `run` returns nothing is not found (127). `run` is interrupted when the time of a command is up, and what it
 * returns is shortened to the command's limit. A started one that its result timed out runs until it is stopped. A defect of `run`
 * is one of the command's exit.
 */
export const layer = (run: (command: FunctionCommand) => Effect.Effect<FunctionResult | undefined>): Layer.Layer<Shell> => {
  const complete = (command: Command, result: FunctionResult = notFound(command)) => ({
    output: "",
    omittedCharacters: 0,
    code: result.hasTimedOut === true ? null : 0,
    signal: null,
    hasTimedOut: false,
    ports: [],
    ...result
  })
  return Layer.succeed(
    Shell,
    Shell.of({
      inspect: () => Effect.succeed({}),
      run: Effect.fnUntraced(function*(command) {
        const result = yield* Effect.timeoutOrElse(run(command), {
          duration: command.timeoutMs,
          orElse: () => Effect.succeed({ hasTimedOut: true })
        })
        const { ports: _, ...ran } = complete(command, result)
        if (ran.output !== "") command.onOutput(ran.output)
        const { omittedCount, text } = Truncate.result(Truncate.push(Truncate.initial(command.maxOutputCharacters), ran.output))
        return { ...ran, output: text, omittedCharacters: ran.omittedCharacters + omittedCount }
      }),
      start: Effect.fnUntraced(function*({ command, cwd, input, onBytes, reads, variables }) {
        const exit = yield* Deferred.make<Exit>()
        let openPorts: ReadonlyArray<number> = []
        const started: FunctionCommand = {
          command,
          cwd,
          timeoutMs: Infinity,
          maxOutputCharacters: Infinity,
          onOutput: () => {},
          ...optional({ input, reads, variables })
        }
        yield* run(started).pipe(
          Effect.flatMap((result) => {
            const { code, output, ports, signal, hasTimedOut } = complete(started, result)
            onBytes(new TextEncoder().encode(output))
            openPorts = ports
            return hasTimedOut ? Effect.void : Deferred.succeed(exit, { code, signal })
          }),
          Effect.catchCause((cause) => Deferred.failCause(exit, cause)),
          Effect.interruptible,
          Effect.forkScoped({ startImmediately: true })
        )
        const stop = Effect.asVoid(Deferred.succeed(exit, { code: null, signal: "SIGTERM" }))
        yield* Effect.addFinalizer(() => stop)
        return {
          exit: Deferred.await(exit),
          stop,
          ports: Effect.map(Deferred.isDone(exit), (done) => done ? [] : openPorts),
          input: Effect.succeed(noTerminal),
          type: () => Effect.succeed(false)
        }
      })
    })
  )
}

const notFound = ({ command }: Command): FunctionResult => ({
  output: `bash: line 1: ${command.trim().split(/\s/)[0]}: command not found\n`,
  code: 127
})
