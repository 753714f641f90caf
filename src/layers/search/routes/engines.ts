/**
 * Search engines with an API. Formats: https://api-dashboard.search.brave.com/app/documentation/web-search,
 * https://docs.exa.ai/reference/search, https://docs.searxng.org/dev/search_api.html, https://docs.tavily.com/documentation/api-reference
 */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Reader from "../../../domain/provider/Reader.ts"
import { optional } from "../../../domain/Optional.ts"
import { type WebResult, withSites } from "../../../domain/search/WebResults.ts"
import type { SearchEndpoint, SearchRoute } from "../../../services/lookup/WebSearch.ts"

const keyOf = ({ key }: SearchEndpoint): string => key === undefined ? "" : Redacted.value(key)
const json = { accept: "application/json", "content-type": "application/json" }

/** An excerpt of a page that a service shortens itself. */
const excerptLength = 1_000

/** Results without an address are dropped. */
const results = (value: unknown, toResult: (fields: Reader.Fields) => Partial<WebResult>): ReadonlyArray<WebResult> =>
  (Reader.list(Reader.fields)(value) ?? []).flatMap((fields) => {
    const result = { ...toResult(fields), ...optional({ url: Reader.text(fields["url"]), title: Reader.text(fields["title"]) }) }
    return result.url === undefined ? [] : [{ title: "", ...result, url: result.url }]
  })

const failure = (service: string) => Result.fail(`${service} sent no list of results.`)

export const brave: SearchRoute = {
  name: "brave",
  title: "Brave Search",
  keys: ["BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY"],
  baseUrl: "https://api.search.brave.com",
  request: (query, endpoint) => ({
    url: `${endpoint.baseUrl}/res/v1/web/search?${new URLSearchParams({
      q: withSites(query),
      count: String(query.maxResults),
      text_decorations: "false"
    })}`,
    method: "GET",
    headers: { accept: json.accept, "x-subscription-token": keyOf(endpoint) }
  }),
  read: (body) => {
    const fields = Reader.fields(body)
    // A query without results has no `web`.
    const web = Reader.fields(fields?.["web"])
    if (web === undefined && fields?.["type"] !== "search") return failure("Brave Search")
    return Result.succeed({
      results: results(web?.["results"], ({ age, description }) => optional({ text: Reader.text(description), date: Reader.text(age) }))
    })
  }
}

export const exa: SearchRoute = {
  name: "exa",
  title: "Exa",
  keys: ["EXA_API_KEY"],
  baseUrl: "https://api.exa.ai",
  request: ({ allowedDomains, blockedDomains, maxResults, query }, endpoint) => ({
    url: `${endpoint.baseUrl}/search`,
    method: "POST",
    headers: { ...json, "x-api-key": keyOf(endpoint) },
    body: {
      query,
      numResults: maxResults,
      ...(allowedDomains.length === 0 ? {} : { includeDomains: allowedDomains }),
      ...(blockedDomains.length === 0 ? {} : { excludeDomains: blockedDomains }),
      contents: { text: { maxCharacters: excerptLength } }
    }
  }),
  read: (body) => {
    const entries = Reader.fields(body)?.["results"]
    return Array.isArray(entries)
      ? Result.succeed({
        results: results(entries, ({ publishedDate, text }) => optional({ text: Reader.text(text), date: Reader.text(publishedDate) }))
      })
      : failure("Exa")
  }
}

export const searxng: SearchRoute = {
  name: "searxng",
  title: "SearXNG",
  keys: [],
  baseUrl: "",
  baseUrlVariable: "SEARXNG_BASE_URL",
  request: (query, { baseUrl }) => ({
    url: `${baseUrl}/search?${new URLSearchParams({ q: withSites(query), format: "json" })}`,
    method: "GET",
    headers: { accept: json.accept }
  }),
  read: (body) => {
    const entries = Reader.fields(body)?.["results"]
    return Array.isArray(entries)
      ? Result.succeed({
        results: results(
          entries,
          ({ content, publishedDate }) => optional({ text: Reader.text(content), date: Reader.text(publishedDate) })
        )
      })
      : Result.fail("SearXNG sent no list of results. Its settings must allow the format json (search.formats).")
  }
}

export const tavily: SearchRoute = {
  name: "tavily",
  title: "Tavily",
  keys: ["TAVILY_API_KEY"],
  baseUrl: "https://api.tavily.com",
  request: ({ allowedDomains, blockedDomains, maxResults, query }, endpoint) => ({
    url: `${endpoint.baseUrl}/search`,
    method: "POST",
    headers: { ...json, authorization: `Bearer ${keyOf(endpoint)}` },
    body: {
      query,
      max_results: maxResults,
      ...(allowedDomains.length === 0 ? {} : { include_domains: allowedDomains }),
      ...(blockedDomains.length === 0 ? {} : { exclude_domains: blockedDomains })
    }
  }),
  read: (body) => {
    const entries = Reader.fields(body)?.["results"]
    return Array.isArray(entries)
      ? Result.succeed({
        results: results(
          entries,
          ({ content, published_date }) => optional({ text: Reader.text(content), date: Reader.text(published_date) })
        )
      })
      : failure("Tavily")
  }
}
