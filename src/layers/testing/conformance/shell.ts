/**
 * The contract of every Shell, as cases that any test runner can run: a case fails with an assertion. The shell must know
 * four commands: `echo one` prints a line, `pwd` its folder, `exit 3` ends with that code, `sleep 60` runs on.
 *
 *     for (const { name, run } of ShellConformance.cases(MyShell.layer, cwd)) it.live(name, () => run)
 */
import * as assert from "node:assert/strict"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { type Command, Shell } from "../../../services/Shell.ts"
import { type Case, over } from "./ServiceCase.ts"

/** Fails if it takes longer than ending a command may. */
const soon = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.timeoutOrElse(effect, { duration: "10 seconds", orElse: () => Effect.sync(() => assert.fail("the command still runs")) })

/**
 * `cwd` is a folder in which commands can run, without links in its path. `isRunning` tells whether a process of a command in that
 * folder is left: without it, the suite can't see one that survives an interrupt or the end of its time.
 */
export const cases = <E>(
  layer: Layer.Layer<Shell, E>,
  cwd: string,
  { isRunning = Effect.succeed(false) }: { readonly isRunning?: Effect.Effect<boolean> } = {}
): ReadonlyArray<Case> => {
  const nothingLeft = Effect.map(
    isRunning,
    (isLeft) => assert.equal(isLeft, false, "a process of the command still runs after it has ended")
  )
  const command = (text: string, onOutput: Command["onOutput"] = () => {}): Command => ({
    command: text,
    cwd,
    timeoutMs: 20_000,
    maxOutputCharacters: 1_000,
    onOutput
  })
  const check = over(Shell, layer)
  return [
    check("returns a command's output and code, and shows the output", ({ run }) =>
      Effect.gen(function*() {
        let live = ""
        const { code, hasTimedOut, omittedCharacters, output, signal } = yield* run(command("echo one", (text) => void (live += text)))
        assert.deepEqual({ code, hasTimedOut, omittedCharacters, output, signal }, {
          code: 0,
          hasTimedOut: false,
          omittedCharacters: 0,
          output: "one\n",
          signal: null
        })
        assert.equal(live, "one\n")
      })),
    check("returns the code of a command that fails", ({ run }) => Effect.map(run(command("exit 3")), ({ code }) => assert.equal(code, 3))),
    check("runs a command in its folder", ({ run }) => Effect.map(run(command("pwd")), ({ output }) => assert.equal(output, `${cwd}\n`))),
    check("ends a command whose time is up, and says so", ({ run }) =>
      Effect.gen(function*() {
        const { code, hasTimedOut } = yield* soon(run({ ...command("sleep 60"), timeoutMs: 100 }))
        assert.deepEqual({ code, hasTimedOut }, { code: null, hasTimedOut: true })
        yield* nothingLeft
      })),
    check(
      "ends a command that is interrupted",
      ({ run }) => Effect.andThen(soon(Effect.timeoutOption(run(command("sleep 60")), 100)), nothingLeft)
    ),
    check("returns no more output than asked, and counts the rest", ({ run }) =>
      Effect.gen(function*() {
        const { omittedCharacters, output } = yield* run({ ...command("echo one"), maxOutputCharacters: 2 })
        assert.ok(omittedCharacters > 0 && !output.includes("one"), `omittedCharacters ${omittedCharacters}, output ${output}`)
      })),
    check("ends a started command when its scope closes", ({ start }) =>
      Effect.gen(function*() {
        const exit = yield* Effect.scoped(Effect.map(start({ command: "sleep 60", cwd, onBytes: () => {} }), ({ exit }) => exit))
        assert.equal((yield* soon(exit)).code, null)
        yield* nothingLeft
      })),
    check("ends a started command when it is told to", ({ start }) =>
      Effect.scoped(Effect.gen(function*() {
        const { exit, stop } = yield* start({ command: "sleep 60", cwd, onBytes: () => {} })
        yield* stop
        assert.equal((yield* exit).code, null)
        yield* nothingLeft
      }))),
    check("gives every byte of a started command", ({ start }) =>
      Effect.scoped(Effect.gen(function*() {
        let text = ""
        const { exit } = yield* start({ command: "echo one", cwd, onBytes: (bytes) => void (text += new TextDecoder().decode(bytes)) })
        assert.equal((yield* exit).code, 0)
        assert.equal(text, "one\n")
      }))),
    check("starts nothing when it inspects", ({ inspect }) => Effect.asVoid(inspect("exit 3", cwd)))
  ]
}
