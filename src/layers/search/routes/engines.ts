/**
 * Search engines with an API, one row each. Formats: https://api-dashboard.search.brave.com/app/documentation/web-search,
 * https://docs.exa.ai/reference/search, https://docs.searxng.org/dev/search_api.html, https://docs.tavily.com/documentation/api-reference
 */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Reader from "../../../domain/provider/Reader.ts"
import { optional } from "../../../domain/Optional.ts"
import { type WebQuery, type WebResult, withSites } from "../../../domain/search/WebResults.ts"
import type { SearchRequest, SearchRoute } from "../../../services/lookup/WebSearch.ts"

/**
 * `list` finds the results in a response, undefined if there are none; `text` and `date` name the fields of a result, beside `url` and
 * `title`. `hint` says what to do about a response without results.
 */
interface Engine extends Omit<SearchRoute, "read" | "request"> {
  readonly request: (query: WebQuery, at: { readonly baseUrl: string; readonly key: string }) => SearchRequest
  readonly list: (fields: Reader.Fields) => unknown
  readonly text: string
  readonly date: string
  readonly hint?: string
}

const accept = { accept: "application/json" }
const json = { ...accept, "content-type": "application/json" }

/** An excerpt of a page that a service shortens itself. */
const excerptLength = 1_000

const engines = {
  brave: {
    name: "brave",
    title: "Brave Search",
    keys: ["BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY"],
    baseUrl: "https://api.search.brave.com",
    request: (query, { baseUrl, key }) => ({
      url: `${baseUrl}/res/v1/web/search?${new URLSearchParams({
        q: withSites(query),
        count: String(query.maxResults),
        text_decorations: "false"
      })}`,
      method: "GET",
      headers: { ...accept, "x-subscription-token": key }
    }),
    // A query without results has no `web`.
    list: ({ type, web }) => web === undefined && type === "search" ? [] : Reader.fields(web)?.["results"] ?? (web && []),
    text: "description",
    date: "age"
  },
  exa: {
    name: "exa",
    title: "Exa",
    keys: ["EXA_API_KEY"],
    baseUrl: "https://api.exa.ai",
    request: ({ allowedDomains, blockedDomains, maxResults, query }, { baseUrl, key }) => ({
      url: `${baseUrl}/search`,
      method: "POST",
      headers: { ...json, "x-api-key": key },
      body: {
        query,
        numResults: maxResults,
        ...(allowedDomains.length === 0 ? {} : { includeDomains: allowedDomains }),
        ...(blockedDomains.length === 0 ? {} : { excludeDomains: blockedDomains }),
        contents: { text: { maxCharacters: excerptLength } }
      }
    }),
    list: ({ results }) => results,
    text: "text",
    date: "publishedDate"
  },
  searxng: {
    name: "searxng",
    title: "SearXNG",
    keys: [],
    baseUrl: "",
    baseUrlVariable: "SEARXNG_BASE_URL",
    request: (query, { baseUrl }) => ({
      url: `${baseUrl}/search?${new URLSearchParams({ q: withSites(query), format: "json" })}`,
      method: "GET",
      headers: accept
    }),
    list: ({ results }) => results,
    text: "content",
    date: "publishedDate",
    hint: "Its settings must allow the format json (search.formats)."
  },
  tavily: {
    name: "tavily",
    title: "Tavily",
    keys: ["TAVILY_API_KEY"],
    baseUrl: "https://api.tavily.com",
    request: ({ allowedDomains, blockedDomains, maxResults, query }, { baseUrl, key }) => ({
      url: `${baseUrl}/search`,
      method: "POST",
      headers: { ...json, authorization: `Bearer ${key}` },
      body: {
        query,
        max_results: maxResults,
        ...(allowedDomains.length === 0 ? {} : { include_domains: allowedDomains }),
        ...(blockedDomains.length === 0 ? {} : { exclude_domains: blockedDomains })
      }
    }),
    list: ({ results }) => results,
    text: "content",
    date: "published_date"
  }
} satisfies Readonly<Record<string, Engine>>

/** Results without an address are dropped. */
const route = ({ date, hint, list, request, text, ...engine }: Engine): SearchRoute => ({
  ...engine,
  request: (query, { baseUrl, key }) => request(query, { baseUrl, key: key === undefined ? "" : Redacted.value(key) }),
  read: (body) => {
    const entries = list(Reader.fields(body) ?? {})
    if (!Array.isArray(entries))
      return Result.fail([`${engine.title} sent no list of results.`, ...(hint === undefined ? [] : [hint])].join(" "))
    const results = (Reader.list(Reader.fields)(entries) ?? []).flatMap((fields): ReadonlyArray<WebResult> => {
      const url = Reader.text(fields["url"])
      const title = Reader.text(fields["title"]) ?? ""
      return url === undefined ? [] : [{ url, title, ...optional({ text: Reader.text(fields[text]), date: Reader.text(fields[date]) }) }]
    })
    return Result.succeed({ results })
  }
})

export const brave = route(engines.brave)
export const exa = route(engines.exa)
export const searxng = route(engines.searxng)
export const tavily = route(engines.tavily)
