/** Reports an internal error of the command line: a file for a bug report, and one sentence for the user. */
import * as Effect from "effect/Effect"
import { Environment } from "../../services/Environment.ts"
import * as CrashReports from "../../services/process/CrashReports.ts"
import { Host } from "./Host.ts"

/** Writes the report to the state folder and returns the sentence, which names the file if it could be written. */
export const write = Effect.fnUntraced(function*(error: unknown) {
  const { args, environment } = yield* Host
  const { layer } = yield* Effect.promise(() => import("../../layers/settings/CrashReportsLive.ts"))
  const flags = args.filter((arg) => arg.startsWith("-")).map((arg) => arg.split("=")[0])
  return yield* CrashReports.report(error, `flags: ${flags.join(" ")}`).pipe(
    Effect.provide(layer),
    Effect.provideService(Environment, environment)
  )
})
