/** The whole command line as one effect that gives its exit code and never fails: what goes wrong is told on the way. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Args from "./args/ParseArgs.ts"
import * as Commands from "./Commands.ts"
import { OutputError, UsageError } from "./process/CliError.ts"
import * as Conclusion from "./process/Conclusion.ts"
import * as CrashReport from "./process/CrashReport.ts"
import * as ErrorReport from "./process/ErrorMessage.ts"
import * as ExitCode from "./process/ExitCode.ts"
import { Host } from "./process/Host.ts"
import { Bare } from "../services/Bare.ts"
import type { Redactor } from "../services/Redactor.ts"
import { Overrides } from "../services/Settings.ts"
import type { Wiring } from "./process/AgentLayers.ts"

export const main: Effect.Effect<number, never, Host | Redactor | Wiring> = Effect.gen(function*() {
  const { args } = yield* Host
  const parsed = Args.parse(args)
  return yield* dispatch(parsed).pipe(
    Effect.catchCause(conclude),
    Effect.onInterrupt(() => Effect.ignore(conclude(Cause.interrupt()))),
    Effect.provide(Conclusion.layer(parsed.values.outputFormat ?? "text")),
    Effect.catchTag("OutputError", Effect.fnUntraced(unheard))
  )
})

const dispatch = Effect.fnUntraced(function*({ behind, command, problem, values, words }: Args.Parsed) {
  if (problem !== undefined) return yield* new UsageError({ message: problem })
  const name = values.version === true ? "version" : values.help === true ? "help" : command
  const meant = Commands.named.get(name)!
  if (name === command && words.length > 0 && !Commands.takesWords(meant)) {
    return yield* new UsageError({ message: `\`dacapo ${name}\` takes no words; "${words[0]}" is one.` })
  }
  const { run } = yield* Effect.promise(meant.load)
  const given = { commands: Commands.list, words: name === "help" && command !== "help" ? [command] : words, values, ...(behind === undefined ? {} : { behind }) }
  return yield* run(given).pipe(
    Effect.provideService(Overrides, yield* overrides(values.config)),
    Effect.provideService(Bare, values.bare === true)
  )
})

/** Settings of this call alone. */
const overrides = Effect.fnUntraced(function*(given: ReadonlyArray<string> = []) {
  if (given.length === 0) return []
  const Address = yield* Effect.promise(() => import("../domain/config/SettingPath.ts"))
  return yield* Effect.forEach(given, (text) => {
    const override = Address.assignment(text)
    return override === undefined
      ? Effect.fail(new UsageError({ message: `--config takes name=value, and "${text}" is none; the names are ${Address.names.join(", ")}.` }))
      : Effect.succeed(override)
  })
})

/** Tells what went wrong and gives its exit code. Interruptions are told by the finalizer, which a signal can't cut short. */
const conclude = Effect.fnUntraced(function*(cause: Cause.Cause<ExitCode.Failure>) {
  const { tell } = yield* Conclusion.Conclusion
  const { defect, signal } = yield* Host
  const broken = defect()
  if (broken !== undefined) return yield* tell(ExitCode.endings.internal, yield* CrashReport.write(broken.defect))
  if (Cause.hasInterruptsOnly(cause)) {
    return yield* tell(ExitCode.signals[signal() ?? "SIGINT"], "Interrupted. `dacapo --continue` goes on.")
  }
  const failure = Cause.findErrorOption(cause)
  if (Option.isNone(failure)) return yield* tell(ExitCode.endings.internal, yield* CrashReport.write(Cause.squash(cause)))
  if (failure.value._tag === "OutputError") return yield* failure.value
  return yield* tell(ExitCode.ofFailure(failure.value), ErrorReport.sentence(failure.value))
})

/** Nobody listens any more: quiet. A full disk under standard output is told on the other stream. */
function* unheard(error: OutputError) {
  if (error.code === "EPIPE") return 0
  const { stderr } = yield* Host
  yield* Effect.ignore(stderr.write(`dacapo: ${error.message}\n`))
  return ExitCode.endings.internal.exit
}
