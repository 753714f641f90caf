/** A line that nobody is to see: typed without echo on a terminal, else what standard input holds. */
import * as Effect from "effect/Effect"
import { InputError } from "./CliError.ts"
import { Host } from "./Host.ts"

/** Without the white space around it; Ctrl-C interrupts. */
export const ask = Effect.fnUntraced(function*(question: string) {
  const { stderr, stdin, terminal } = yield* Host
  if (!stdin.tty) return new TextDecoder().decode(yield* stdin.all).trim()
  yield* Effect.ignore(stderr.write(question))
  const line = yield* typed(terminal.stdin)
  yield* Effect.ignore(stderr.write("\n"))
  return line.trim()
})

/** Keys as they come, in raw mode; the terminal is given back whatever happens. */
const typed = (stdin: NodeJS.ReadStream): Effect.Effect<string, InputError> =>
  Effect.callback<string, InputError>((resume) => {
    let line = ""
    const onData = (data: Buffer) => {
      for (const char of data.toString("utf8")) {
        if (char === "\r" || char === "\n" || char === "\u0004") return done(Effect.succeed(line))
        if (char === "\u0003") return done(Effect.interrupt)
        if (char === "\u0015") line = ""
        else if (char === "\u007f" || char === "\b") line = line.slice(0, -1)
        else if (char >= " ") line += char
      }
    }
    const stop = () => {
      stdin.off("data", onData).pause()
      stdin.setRawMode(false)
    }
    const done = (result: Effect.Effect<string, InputError>) => {
      stop()
      resume(result)
    }
    stdin.setRawMode(true)
    stdin.on("data", onData).resume()
    return Effect.sync(stop)
  })
