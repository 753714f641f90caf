/**
 * The contract of every Shell, as cases that any test runner can run: a case fails with an assertion. The shell must know
 * three commands: `echo one` prints a line, `exit 3` ends with that code, `sleep 60` runs on.
 *
 *     for (const { name, run } of shell.cases(MyShell.layer, cwd)) it.live(name, () => run)
 */
import * as assert from "node:assert/strict"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { type Command, Shell } from "../../../services/Shell.ts"
import { type Case, over } from "./ServiceCase.ts"

/** `cwd` is a folder in which commands can run. */
export const cases = <E>(layer: Layer.Layer<Shell, E>, cwd: string): ReadonlyArray<Case> => {
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
    check("ends a started command when it is told to", ({ start }) =>
      Effect.scoped(Effect.gen(function*() {
        const { exit, stop } = yield* start({ command: "sleep 60", cwd, onBytes: () => {} })
        yield* stop
        assert.equal((yield* exit).code, null)
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
