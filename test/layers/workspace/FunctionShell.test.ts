/** A shell of one function gets all that the real one gives a command. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FunctionShell from "../../../src/layers/workspace/shell/FunctionShell.ts"
import { Shell } from "../../../src/services/Shell.ts"

it.effect("the function gets a started command's input and variables", () =>
  Effect.gen(function*() {
    const commands: Array<Partial<FunctionShell.FunctionCommand>> = []
    const shell = FunctionShell.layer(({ command, cwd, input, variables }) => {
      commands.push({ command, cwd, input: input ?? "none", variables: variables ?? {} })
      return Effect.succeed({})
    })
    const start = { command: "hook", cwd: "/", onBytes: () => {} }
    yield* Effect.flatMap(Shell, (one) =>
      Effect.scoped(Effect.andThen(one.start({ ...start, input: "{}", variables: { ROOT: "/plugin" } }), one.start(start)))).pipe(Effect.provide(shell))
    assert.deepStrictEqual(commands, [
      { command: "hook", cwd: "/", input: "{}", variables: { ROOT: "/plugin" } },
      { command: "hook", cwd: "/", input: "none", variables: {} }
    ])
  }))
