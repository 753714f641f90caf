/** Takes secrets out of what is written out: exports, traces, crash reports, errors that people see. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Redact } from "../domain/secret/Redactor.ts"

export class Redactor extends Context.Service<Redactor, {
  /**
   * The function itself, made when it is first asked for: most runs write nothing that needs it. Its placeholders are
   * keyed by this installation, so that the same secret is the same placeholder from one export to the next.
   */
  readonly redact: Effect.Effect<Redact>
}>()("dacapo/Redactor") {}
