/** What source files define, read by a grammar of their language. */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { Language } from "../domain/definitions/Languages.ts"
import type { Definition } from "../domain/definitions/Outline.ts"

/** A grammar that is not there or can't be loaded: a sentence that says what to do. */
export class GrammarError extends Data.TaggedError("GrammarError")<{ readonly message: string }> {}

export class Definitions extends Context.Service<Definitions, {
  /** In the order of the text. A text that breaks its language's rules is read as far as it can be. */
  readonly of: (language: Language, text: string) => Effect.Effect<ReadonlyArray<Definition>, GrammarError>
}>()("dacapo/Definitions") {}
