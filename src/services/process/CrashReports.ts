/** Where the details of internal errors are saved for bug reports. Without a layer they are not saved. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Normalize from "../../domain/tool/Normalize.ts"

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
    const stack = error instanceof Error ? [error.stack ?? String(error)] : []
    const file = yield* save([...notes, ...stack, ...detailsOf(error)].join("\n"))
    const summary = messageOf(error).split("\n", 1)[0]!.replace(/\.$/, "")
    return `Internal error: ${summary}.${file === undefined ? "" : ` A crash report is in ${file}; please attach it to a bug report.`}`
  })

/** The fields and the cause of an error as JSON; its stack has the rest. */
const detailsOf = (error: unknown): ReadonlyArray<string> => {
  const data = Normalize.toSize(error, Normalize.limits.error)
  if (!(error instanceof Error) || typeof data !== "object" || data === null) return [JSON.stringify(data, null, 2)]
  const { message: _message, name: _name, stack: _stack, ...fields } = data as Schema.JsonObject
  return Object.keys(fields).length === 0 ? [] : [JSON.stringify(fields, null, 2)]
}

/** What an error says in one text; what is thrown need not be an error. */
export const messageOf = (error: unknown): string => {
  if (error instanceof Error) return error.message
  const value = Normalize.toSize(error, { maxBytes: 200 })
  return typeof value === "string" ? value : JSON.stringify(value)
}
