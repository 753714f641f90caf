/** Where the details of internal errors are saved for bug reports. Without a layer they are not saved. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

export interface CrashReportStore {
  /** Saves the details without secrets; returns the file's path, or undefined if nothing was saved. */
  readonly save: (details: string) => Effect.Effect<string | undefined>
}

export const CrashReports = Context.Reference<CrashReportStore>("dacapo/CrashReports", {
  defaultValue: () => ({ save: () => Effect.succeed(undefined) })
})

/** Saves what is known about an error, after `notes`, and returns the sentence for the user. */
export const report = (error: unknown, ...notes: ReadonlyArray<string>): Effect.Effect<string> =>
  Effect.gen(function*() {
    const { save } = yield* CrashReports
    const file = yield* save([...notes, error instanceof Error ? error.stack ?? String(error) : String(error)].join("\n"))
    const summary = (error instanceof Error ? error.message : String(error)).split("\n", 1)[0]!.replace(/\.$/, "")
    return `Internal error: ${summary}.${file === undefined ? "" : ` A crash report is in ${file}; please attach it to a bug report.`}`
  })
