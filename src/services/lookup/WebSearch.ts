/** Searches of the web, by routes like those of models. Without a layer there are none. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type * as Result from "effect/Result"
import { WebError } from "../../domain/network/WebError.ts"
import type { WebRoute } from "../../domain/search/SearchSettings.ts"
import type { WebQuery, WebResults } from "../../domain/search/WebResults.ts"

/** Where a route is reached: `model` is the id of the model that searches. */
export interface SearchEndpoint {
  readonly baseUrl: string
  readonly key?: Redacted.Redacted
  readonly model?: string
}

export interface SearchRequest {
  readonly url: string
  readonly method: "GET" | "POST"
  readonly headers: Readonly<Record<string, string>>
  readonly body?: object
}

/**
 * A way to search. `keys` are the names of the variables that hold its key, the preferred one first; none: it takes no key. `baseUrl` is
 * empty if the user has to name it; `baseUrlVariable` overrides it. `provider` names the provider whose models search.
 */
export interface SearchRoute {
  readonly name: WebRoute
  readonly title: string
  readonly keys: ReadonlyArray<string>
  readonly baseUrl: string
  readonly baseUrlVariable?: string
  readonly provider?: string
  readonly request: (query: WebQuery, endpoint: SearchEndpoint) => SearchRequest
  /** A failure is what the service says went wrong. */
  readonly read: (body: unknown) => Result.Result<WebResults, string>
}

/** `route` and `model` are those of the session; `title` is the name of the service that answered. */
export interface WebSearchService {
  readonly search: (
    query: Omit<WebQuery, "maxResults">,
    at: { readonly route: string; readonly model?: string }
  ) => Effect.Effect<WebResults & { readonly title: string; readonly query: WebQuery }, WebError>
}

export const WebSearch = Context.Reference<WebSearchService>("dacapo/WebSearch", {
  defaultValue: () => ({
    search: () =>
      Effect.fail(
        new WebError({ url: "", reason: "Refused", message: "Web search is not set up: the settings name no route (\"webSearch\")." })
      )
  })
})
