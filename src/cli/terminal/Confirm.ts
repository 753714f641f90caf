/** A question before something that is hard to take back: asked at a terminal; elsewhere nothing is done without a flag. */
import * as Effect from "effect/Effect"
import { Unconfirmed } from "../process/CliError.ts"
import { Host } from "../process/Host.ts"
import * as View from "../render/view/View.ts"

/** Goes on where the user says yes, or has said so with `--yes`; fails otherwise. `what` is what would happen, as sentences. */
export const confirm = Effect.fnUntraced(function*(what: string, yes: boolean | undefined) {
  if (yes === true) return
  const { stderr, stdin, stdout, terminal } = yield* Host
  if (!stdin.tty || !stdout.tty) return yield* new Unconfirmed({ message: `${what} Nothing is changed: --yes does it without asking.` })
  yield* Effect.ignore(stderr.write(`${View.text(what)} Go on? [y/N] `))
  const answer = yield* line(terminal.stdin)
  if (!/^y(es)?$/i.test(answer.trim())) return yield* new Unconfirmed({ message: "Nothing is changed." })
})

const line = (stdin: NodeJS.ReadStream): Effect.Effect<string> =>
  Effect.callback((resume) => {
    const onData = (typed: Buffer) => {
      stdin.pause()
      resume(Effect.succeed(typed.toString()))
    }
    stdin.once("data", onData).resume()
    return Effect.sync(() => void stdin.off("data", onData).pause())
  })
