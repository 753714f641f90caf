/** A shell that runs nothing: commands are answered from a script. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Command, type Exit, type CommandResult, Shell } from "../../services/Shell.ts"

/** A command's behaviour; by default it prints nothing and succeeds. `ports`: what it listens on. */
export type ScriptedResult = Partial<CommandResult> & { readonly ports?: ReadonlyArray<number> }

/**
 * Answers by the command's text, or by a function; a command without an answer is not found (127). One that is started
 * and timed out by its answer runs until it is stopped.
 */
export const layer = (
  results: Readonly<Record<string, ScriptedResult>> | ((command: Command) => Effect.Effect<ScriptedResult | undefined>)
): Layer.Layer<Shell> => {
  const resultOf = Effect.fnUntraced(function*(command: Command) {
    const match = typeof results === "function" ? yield* results(command) : results[command.command]
    return {
      output: "",
      omittedCharacters: 0,
      code: 0,
      signal: null,
      hasTimedOut: false,
      ports: [],
      ...match ?? notFound(command)
    } satisfies ScriptedResult
  })
  return Layer.succeed(
    Shell,
    Shell.of({
      inspect: () => Effect.succeed({}),
      run: Effect.fnUntraced(function*(command) {
        const { ports: _, ...ran } = yield* resultOf(command)
        if (ran.output !== "") command.onOutput(ran.output)
        return ran
      }),
      start: Effect.fnUntraced(function*({ command, cwd, onBytes }) {
        const exit = yield* Deferred.make<Exit>()
        let openPorts: ReadonlyArray<number> = []
        yield* resultOf({ command, cwd, timeoutMs: Infinity, maxOutputCharacters: Infinity, onOutput: () => {} }).pipe(
          Effect.flatMap(({ code, output, ports, signal, hasTimedOut }) => {
            onBytes(new TextEncoder().encode(output))
            openPorts = ports
            return hasTimedOut ? Effect.void : Deferred.succeed(exit, { code, signal })
          }),
          Effect.interruptible,
          Effect.forkScoped({ startImmediately: true })
        )
        const stop = Effect.asVoid(Deferred.succeed(exit, { code: null, signal: "SIGTERM" }))
        yield* Effect.addFinalizer(() => stop)
        return {
          exit: Deferred.await(exit),
          stop,
          ports: Effect.map(Deferred.isDone(exit), (done) => done ? [] : openPorts),
          hidesInput: Effect.succeed(false)
        }
      })
    })
  )
}

const notFound = ({ command }: Command): ScriptedResult => ({
  output: `bash: line 1: ${command.trim().split(/\s/)[0]}: command not found\n`,
  code: 127
})
