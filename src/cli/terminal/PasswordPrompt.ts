/** A secret: typed without echo on a terminal, else read from standard input. */
import * as Effect from "effect/Effect"
import { Host } from "../process/Host.ts"

/** Reads a secret and trims it; Ctrl-C interrupts. */
export const readSecret = Effect.fnUntraced(function*(question: string) {
  const { stderr, stdin: { all, tty }, terminal: { stdin } } = yield* Host
  if (!tty) return new TextDecoder().decode(yield* all).trim()
  // Raw mode before the prompt appears: a key typed at once would be echoed.
  const line = yield* Effect.acquireUseRelease(
    Effect.sync(() => stdin.setRawMode(true)),
    () => Effect.andThen(Effect.ignore(stderr.write(question)), readLine(stdin)),
    () => Effect.sync(() => stdin.setRawMode(false))
  )
  yield* Effect.ignore(stderr.write("\n"))
  return line.trim()
})

/** Reads keys in raw mode. */
const readLine = (stdin: NodeJS.ReadStream): Effect.Effect<string> =>
  Effect.callback<string>((resume) => {
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
    const stop = () => void stdin.off("data", onData).pause()
    const done = (result: Effect.Effect<string>) => {
      stop()
      resume(result)
    }
    stdin.on("data", onData).resume()
    return Effect.sync(stop)
  })
