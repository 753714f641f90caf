/** Reports how a command ended, exactly once: a result on standard output in the JSON formats, a sentence on standard error. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as ErrorReport from "../../domain/ErrorReport.ts"
import { Redactor } from "../../services/Redactor.ts"
import type { OutputError } from "./CliError.ts"
import { isError, type Ending } from "./ExitCode.ts"
import type { Values } from "../args/Flags.ts"
import { Host } from "./Host.ts"
import * as StreamJson from "../render/json/StreamJson.ts"
import * as RunSummary from "../render/json/RunSummary.ts"
import * as ToolNames from "../../domain/tool/ToolNames.ts"
import * as View from "../render/view/View.ts"

export type Format = NonNullable<Values["outputFormat"]>

export class Conclusion extends Context.Service<Conclusion, {
  readonly format: Format
  /** The names of tools in JSON output. */
  readonly names: ToolNames.ToolNames
  /** The state of the run so far. */
  readonly report: Ref.Ref<RunSummary.RunSummary>
  /** Reports the result of one task of several, in `stream-json`; the next task counts from here. */
  readonly concludeTask: (ending: Ending) => Effect.Effect<void, OutputError>
  /**
   * Reports the ending, unless the last task reported it already, and returns the exit code. `error` is the message if no event has
   * it: a text, or a report. Later calls report nothing.
   */
  readonly finish: (ending: Ending, error?: string | ErrorReport.Report) => Effect.Effect<number, OutputError>
}>()("dacapo/cli/Conclusion") {}

/** The report of an error, of a failed task, or of an ending that says enough. */
const reportOf = (state: RunSummary.RunSummary, ending: Ending, error?: string | ErrorReport.Report): ErrorReport.Report => {
  if (typeof error === "object") return error
  const message = (error ?? state.result) === "" ? ending.description : error ?? state.result
  const { outcome } = state
  return error === undefined && outcome !== "no" && outcome !== "finished"
    ? ErrorReport.ofTask({ reason: outcome, message })
    : ErrorReport.sentence(ending.description, message, "")
}

export const layer = ({ outputFormat: format = "text", toolNames }: Values) =>
  Layer.effect(
    Conclusion,
    Effect.gen(function*() {
      const { stderr, stdout } = yield* Host
      const redactor = yield* Redactor
      const clock = yield* Clock.Clock
      const names = toolNames === "claude" ? ToolNames.claude : ToolNames.dacapo
      // Monotonic: the time of day may be set while the command runs.
      let startNanos = clock.monotonicTimeNanosUnsafe()
      let hasConcludedTask = false
      const writeResult = Effect.fnUntraced(function*(state: RunSummary.RunSummary, ending: Ending, report: ErrorReport.Report) {
        const durationMs = Number(clock.monotonicTimeNanosUnsafe() - startNanos) / 1e6
        const result = StreamJson.result(state, ending, durationMs, names, ErrorReport.parts(report))
        yield* stdout.write(StreamJson.redactedLine(result, yield* redactor.redact))
      })
      const concludeTask = Effect.fnUntraced(function*(ending: Ending) {
        if (format !== "stream-json") return
        const state = yield* Ref.getAndUpdate(report, RunSummary.nextTask)
        yield* writeResult(state, ending, reportOf(state, ending))
        startNanos = clock.monotonicTimeNanosUnsafe()
        hasConcludedTask = true
      })
      const report = yield* Ref.make(RunSummary.initial)
      const isFinished = yield* Ref.make(false)
      const finish = Effect.fnUntraced(function*(ending: Ending, error?: string | ErrorReport.Report) {
        if (yield* Ref.getAndSet(isFinished, true)) return ending.exit
        if (hasConcludedTask && error === undefined) return ending.exit
        const state = yield* Ref.get(report)
        const isFailure = isError(ending)
        const errorReport = reportOf(state, ending, error)
        const text = isFailure ? (yield* redactor.redact)(ErrorReport.line(errorReport)) : state.result
        if (isFailure) {
          const message = View.text(text).replace(/\s*\n\s*/g, " ")
          yield* Effect.ignore(stderr.write(`dacapo: ${message}\n`))
        }
        if (format === "text" && !isFailure && text !== "") yield* stdout.write(`${View.text(text).replace(/\n$/, "")}\n`)
        if (format === "json" || format === "stream-json") yield* writeResult({ ...state, result: text }, ending, errorReport)
        return ending.exit
      })
      return { format, names, report, concludeTask, finish }
    })
  )
