/** An agent whose command says a gigabyte, or what it is asked for, with no end of line: tells how much larger it grew. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { monitorEventLoopDelay } from "node:perf_hooks"
import * as ShellLive from "../../../../src/layers/workspace/shell/ShellLive.ts"
import { Shell } from "../../../../src/services/Shell.ts"
import { environment } from "../fixture.ts"

const flood = (bytes: number) =>
  Effect.flatMap(Shell, (shell) =>
    shell.run({ command: `head -c ${bytes} /dev/zero | tr '\\0' x`, cwd: "/", timeoutMs: 600_000, maxOutputCharacters: 48_000, onOutput: () => {} })).pipe(
      Effect.provide(ShellLive.layer.pipe(Layer.provide(environment())))
    )

// What starting costs is not growth.
await Effect.runPromise(flood(20_000_000))
const before = process.memoryUsage().rss
let most = before
const delay = monitorEventLoopDelay({ resolution: 5 })
delay.enable()
const watch = setInterval(() => void (most = Math.max(most, process.memoryUsage().rss)), 5)
const { omittedCharacters, output } = await Effect.runPromise(flood(Number(process.argv[2] ?? 1_000_000_000)))
clearInterval(watch)
process.stdout.write(JSON.stringify({ grown: most - before, cut: omittedCharacters, kept: output.length, still: delay.max / 1e6 }))
