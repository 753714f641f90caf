/** A shell that runs nothing: commands are answered from a script. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Command, type Exit, type Ran, Shell } from "../../services/Shell.ts"

/** What a command does; what is not said is as after a command that said nothing and succeeded. `ports`: what it listens on. */
export type Answer = Partial<Ran> & { readonly ports?: ReadonlyArray<number> }

/**
 * Answers by the command's text, or by a function; a command that no answer is there for is not found (127). One that is
 * started and timed out by its answer runs until it is stopped.
 */
export const layer = (
  answers: Readonly<Record<string, Answer>> | ((command: Command) => Effect.Effect<Answer | undefined>)
): Layer.Layer<Shell> => {
  const answer = Effect.fnUntraced(function*(command: Command) {
    const known = typeof answers === "function" ? yield* answers(command) : answers[command.command]
    return { output: "", cut: 0, code: 0, signal: null, timedOut: false, ports: [], ...known ?? notFound(command) } satisfies Answer
  })
  return Layer.succeed(
    Shell,
    Shell.of({
      run: Effect.fnUntraced(function*(command) {
        const { ports: _, ...ran } = yield* answer(command)
        if (ran.output !== "") command.onOutput(ran.output)
        return ran
      }),
      start: Effect.fnUntraced(function*({ command, cwd, onBytes }) {
        const exit = yield* Deferred.make<Exit>()
        let listening: ReadonlyArray<number> = []
        yield* answer({ command, cwd, timeoutMs: Infinity, keep: Infinity, onOutput: () => {} }).pipe(
          Effect.flatMap(({ code, output, ports, signal, timedOut }) => {
            onBytes(new TextEncoder().encode(output))
            listening = ports
            return timedOut ? Effect.void : Deferred.succeed(exit, { code, signal })
          }),
          Effect.interruptible,
          Effect.forkScoped({ startImmediately: true })
        )
        const stop = Effect.asVoid(Deferred.succeed(exit, { code: null, signal: "SIGTERM" }))
        yield* Effect.addFinalizer(() => stop)
        return { exit: Deferred.await(exit), stop, ports: Effect.map(Deferred.isDone(exit), (done) => done ? [] : listening), hides: Effect.succeed(false) }
      })
    })
  )
}

const notFound = ({ command }: Command): Answer => ({
  output: `bash: line 1: ${command.trim().split(/\s/)[0]}: command not found\n`,
  code: 127
})
