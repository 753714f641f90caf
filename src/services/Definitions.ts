/** What source files define, parsed by a grammar of their language. */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { Language } from "../domain/definitions/Languages.ts"
import type { Definition } from "../domain/definitions/Outline.ts"

/** A missing grammar, or one that can't be loaded: a sentence that says what to do. */
export class GrammarError extends Data.TaggedError("GrammarError")<{ readonly message: string }> {}

export class Definitions extends Context.Service<Definitions, {
  /** In the order of the text. A text with syntax errors is read as far as possible. */
  readonly of: (language: Language, text: string) => Effect.Effect<ReadonlyArray<Definition>, GrammarError>
}>()("dacapo/Definitions") {}
