/** Removes secrets from what is written out: exports, traces, crash reports, errors that people see. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Redact } from "../domain/secret/Redactor.ts"

export class Redactor extends Context.Service<Redactor, {
  /**
   * The function itself, created when first needed: most runs write nothing that needs it. Its placeholders are keyed
   * by this installation, so that the same secret has the same placeholder in every export.
   */
  readonly redact: Effect.Effect<Redact>
}>()("dacapo/Redactor") {}
