/**
 * Definitions by tree-sitter: grammars in WebAssembly, each loaded when a file of its language is first read, in a
 * separate thread.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Outline from "../../domain/definitions/Outline.ts"
import { Definitions, GrammarError } from "../../services/Definitions.ts"
import * as Thread from "../thread/Thread.ts"
import type { ParseResponse, ParseRequest } from "./grammarWorker.ts"

/** Time limits in ms: for one file, and for loading its grammar. A megabyte of ordinary source takes half a second. */
const timeoutMs = 5_000

export const layer: Layer.Layer<Definitions> = Layer.effect(
  Definitions,
  Effect.gen(function*() {
    const thread = yield* Thread.make<ParseRequest, ParseResponse>({
      source: "definitions/grammarWorker.ts",
      bundle: "grammar.js",
      kind: "thread"
    })
    return {
      of: (language, text) =>
        thread.request({ language, text }, timeoutMs).pipe(
          Effect.mapError(({ message, reason }) =>
            new GrammarError({
              message: reason === "TooLong" ? "Parsing takes too long. Read or search the file instead."
                : `It can't be parsed: ${message}. Read or search the file instead.`
            })
          ),
          Effect.flatMap((response) =>
            "definitions" in response
              ? Effect.succeed(Outline.of(response.definitions))
              : new GrammarError({ message: `The grammar of ${language.name} can't be loaded: ${response.error}. Read the file instead.` })
          )
        )
    }
  })
)
