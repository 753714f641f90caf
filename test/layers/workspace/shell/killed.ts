/** An agent that will be killed while its command runs: says so when the command stands. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ShellLive from "../../../../src/layers/workspace/shell/ShellLive.ts"
import { Shell } from "../../../../src/services/Shell.ts"
import { environment } from "../fixture.ts"

const seconds = process.argv[2]!

await Effect.runPromise(
  Effect.flatMap(Shell, (shell) =>
    shell.run({
      command: `sleep ${seconds} & setsid sleep ${seconds} & echo stands; wait`,
      cwd: "/",
      timeoutMs: 60_000,
      maxOutputCharacters: 100,
      onOutput: (text) => process.stdout.write(text)
    })).pipe(Effect.provide(ShellLive.layer.pipe(Layer.provide(environment()))))
)
