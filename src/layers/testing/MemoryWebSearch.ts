/** A search of the web that a test defines, with the results of each query. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { WebError } from "../../domain/network/WebError.ts"
import type { WebResults } from "../../domain/search/WebResults.ts"
import { WebSearch } from "../../services/lookup/WebSearch.ts"

/** The results by query; another query finds nothing. A text is why the search fails. */
export const layer = (resultsByQuery: Readonly<Record<string, WebResults | string>>): Layer.Layer<never> =>
  Layer.succeed(WebSearch, {
    search: (query) => {
      const results = Object.hasOwn(resultsByQuery, query.query) ? resultsByQuery[query.query]! : { results: [] }
      return typeof results === "string" ? Effect.fail(new WebError({ url: "", reason: "Status", message: results }))
        : Effect.succeed({ ...results, title: "Memory", query: { ...query, maxResults: 8 } })
    }
  })
