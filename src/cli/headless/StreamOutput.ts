/** The one way for a line of `stream-json` to standard output: of the published schema, and without secrets. */
import * as Effect from "effect/Effect"
import { Redactor } from "../../services/Redactor.ts"
import type { OutputError } from "../process/CliError.ts"
import { Conclusion } from "../process/Conclusion.ts"
import { Host } from "../process/Host.ts"
import * as Json from "../render/json/StreamJson.ts"
import type * as Protocol from "../render/json/StreamJsonSchema.ts"

/** Writes what there is to tell; says nothing in any other format. */
export type Tell = (line: Protocol.Line | undefined) => Effect.Effect<void, OutputError>

export const open = Effect.gen(function*() {
  const { format } = yield* Conclusion
  const { stdout } = yield* Host
  if (format !== "stream-json") return (() => Effect.void) satisfies Tell as Tell
  const redact = yield* (yield* Redactor).redact
  const tell: Tell = (line) => line === undefined ? Effect.void : stdout.write(Json.told(line, redact))
  return tell
})
