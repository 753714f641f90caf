/** How a command tells its end: exactly once, on standard output as a result in JSON formats, on standard error as a sentence. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import { Redactor } from "../../services/Redactor.ts"
import type { OutputError } from "./CliError.ts"
import { isError, type Ending } from "./ExitCode.ts"
import type { Values } from "../args/Flags.ts"
import { Host } from "./Host.ts"
import * as Json from "../render/json/StreamJson.ts"
import * as Report from "../render/json/RunSummary.ts"
import * as View from "../render/view/View.ts"

export type Format = NonNullable<Values["outputFormat"]>

export class Conclusion extends Context.Service<Conclusion, {
  readonly format: Format
  /** What the run has come to so far. */
  readonly report: Ref.Ref<Report.Report>
  /** Gives the exit code. `error` is what went wrong where no event told it. Later calls tell nothing. */
  readonly tell: (ending: Ending, error?: string) => Effect.Effect<number, OutputError>
}>()("dacapo/cli/Conclusion") {}

export const layer = (format: Format) =>
  Layer.effect(Conclusion, Effect.gen(function*() {
    const { stderr, stdout } = yield* Host
    const redactor = yield* Redactor
    const clock = yield* Clock.Clock
    // Not the time of day, which may be set meanwhile.
    const began = clock.monotonicTimeNanosUnsafe()
    const report = yield* Ref.make(Report.initial)
    const told = yield* Ref.make(false)
    const tell = Effect.fnUntraced(function*(ending: Ending, error?: string) {
      if (yield* Ref.getAndSet(told, true)) return ending.exit
      const state = yield* Ref.get(report)
      const failed = isError(ending)
      const text = failed ? (yield* redactor.redact)(error ?? state.result) : state.result
      if (failed) yield* Effect.ignore(stderr.write(`dacapo: ${View.text(text === "" ? ending.what : text).replace(/\s*\n\s*/g, " ")}\n`))
      if (format === "text" && !failed && text !== "") yield* stdout.write(`${View.text(text).replace(/\n$/, "")}\n`)
      if (format === "json" || format === "stream-json") {
        const ms = Number(clock.monotonicTimeNanosUnsafe() - began) / 1e6
        yield* stdout.write(Json.told(Json.result({ ...state, result: text }, ending, ms), yield* redactor.redact))
      }
      return ending.exit
    })
    return { format, report, tell }
  }))
