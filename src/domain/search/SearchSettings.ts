/** The searches that a session has besides search_files, as its log records them. Both are off unless the user's settings turn them on. */
import * as Schema from "effect/Schema"
import { Price } from "../session/Usage.ts"

/**
 * `web`: the route of web_search, and `provider/model` with its price for a route that searches by a model. `code`: search_code is offered.
 */
export const SearchSettings = Schema.Struct({
  web: Schema.optionalKey(
    Schema.Struct({ route: Schema.String, model: Schema.optionalKey(Schema.String), price: Schema.optionalKey(Price) })
  ),
  code: Schema.optionalKey(Schema.Literal(true))
}).annotate({ identifier: "SearchSettings" })
export type SearchSettings = typeof SearchSettings.Type

/** The ways to search the web. */
export const WebRoute = Schema.Literals(["anthropic", "brave", "exa", "openai", "searxng", "tavily"])
export type WebRoute = typeof WebRoute.Type

/**
 * `webSearch` in the settings. `model` is for routes that search by a model, without the provider's name; `keyEnv` names the variable
 * of the key if it is not the usual one; `maxResults` is 8 by default.
 */
export const WebSearchSettings = Schema.Struct({
  route: WebRoute,
  model: Schema.optionalKey(Schema.String),
  baseUrl: Schema.optionalKey(Schema.String),
  keyEnv: Schema.optionalKey(Schema.String),
  maxResults: Schema.optionalKey(Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: 20 }))))
})
export type WebSearchSettings = typeof WebSearchSettings.Type

/** Where embeddings come from; `keyEnv` names the variable of the key if it is not the usual one. */
export const EmbeddingSettings = Schema.Struct({
  route: Schema.Literals(["gemini", "ollama", "openai", "voyage"]),
  model: Schema.String,
  baseUrl: Schema.optionalKey(Schema.String),
  keyEnv: Schema.optionalKey(Schema.String)
})
export type EmbeddingSettings = typeof EmbeddingSettings.Type

/** `codeSearch` in the settings: it turns search_code on. Without `embeddings` it searches words alone. */
export const CodeSearchSettings = Schema.Union([Schema.Boolean, Schema.Struct({ embeddings: Schema.optionalKey(EmbeddingSettings) })])
export type CodeSearchSettings = typeof CodeSearchSettings.Type
