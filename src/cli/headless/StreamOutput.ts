/** Writes the lines of `stream-json` to standard output: typed by the published schema, with secrets redacted. */
import * as Effect from "effect/Effect"
import { Redactor } from "../../services/Redactor.ts"
import type { OutputError } from "../process/CliError.ts"
import { Conclusion } from "../process/Conclusion.ts"
import { Host } from "../process/Host.ts"
import * as StreamJson from "../render/json/StreamJson.ts"
import type * as StreamJsonSchema from "../render/json/StreamJsonSchema.ts"

/** Writes a line, if there is one. Does nothing in other formats. */
export type WriteLine = (line: StreamJsonSchema.Line | undefined) => Effect.Effect<void, OutputError>

export const open = Effect.gen(function*() {
  const { format } = yield* Conclusion
  const { stdout } = yield* Host
  if (format !== "stream-json") return (() => Effect.void) satisfies WriteLine as WriteLine
  const redact = yield* (yield* Redactor).redact
  const writeLine: WriteLine = (line) => line === undefined ? Effect.void : stdout.write(StreamJson.redactedLine(line, redact))
  return writeLine
})
