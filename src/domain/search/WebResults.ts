/** What a web search asks and finds, and how a model reads it: as data, one field a line, without what could pass for another field. */
import * as SafeText from "../message/SafeText.ts"
import * as WebUrl from "../network/WebUrl.ts"
import type { TokenUsage } from "../session/Usage.ts"
import * as Truncate from "../tool/Truncate.ts"

/** Host names without a scheme or a path; with `allowedDomains`, results of others are dropped. */
export interface WebQuery {
  readonly query: string
  readonly allowedDomains: ReadonlyArray<string>
  readonly blockedDomains: ReadonlyArray<string>
  readonly maxResults: number
}

/** `text` is an excerpt of the page, `date` its age or date as the service writes it. */
export interface WebResult {
  readonly title: string
  readonly url: string
  readonly text?: string
  readonly date?: string
}

/** `answer` is what the model of a route wrote about the results, `usage` what that cost. */
export interface WebResults {
  readonly results: ReadonlyArray<WebResult>
  readonly answer?: string
  readonly usage?: TokenUsage
}

/** Limits in characters. */
const limits = { title: 200, date: 40, text: 1_000, answer: 4_000 }

/** A domain as rules for results name it, or undefined for something else. */
export const domain = (text: string): string | undefined => {
  const name = text.trim().toLowerCase().replace(/^https?:\/\//, "").replace(/\/.*$/, "").replace(/^\*?\./, "")
  return /^(?:[a-z0-9-]{1,63}\.)+[a-z0-9-]{2,63}$/.test(name) ? name : undefined
}

/** The query with domains as the `site:` operators that search engines share. */
export const withSites = ({ allowedDomains, blockedDomains, query }: WebQuery): string =>
  [
    query,
    ...(allowedDomains.length === 0 ? [] : [allowedDomains.map((domain) => `site:${domain}`).join(" OR ")]),
    ...blockedDomains.map((domain) => `-site:${domain}`)
  ].join(" ")

/**
 * The results of pages that could be fetched, each once, from domains that were asked for: services are not trusted to keep to a
 * query's domains, nor to name only public pages.
 */
export const select = ({ results }: WebResults, { allowedDomains, blockedDomains, maxResults }: WebQuery): ReadonlyArray<WebResult> => {
  const seen = new Set<string>()
  return results.filter(({ url }) => {
    const target = WebUrl.read(url)
    if (target._tag !== "Public" || seen.has(target.url.href)) return false
    seen.add(target.url.href)
    const isIn = (domain: string) => target.host === domain || target.host.endsWith(`.${domain}`)
    return (allowedDomains.length === 0 || allowedDomains.some(isIn)) && !blockedDomains.some(isIn)
  }).slice(0, maxResults)
}

/** The results as text. */
export const render = (title: string, response: WebResults, query: WebQuery): string => {
  const results = select(response, query)
  const answer = lines(response.answer ?? "")
  const dropped = response.results.length - results.length
  return [
    results.length === 0 ? `${title} found nothing for: ${oneLine(query.query)}` : `Results of ${title} for: ${oneLine(query.query)}`,
    ...results.map(renderOne),
    ...(answer === "" ? [] : [`What the searching model wrote about them:\n${Truncate.middle(answer, limits.answer)}`]),
    ...(dropped > 0 && results.length < query.maxResults
      ? [`[${dropped} ${dropped === 1 ? "result was" : "results were"} left out: repeated, not public, or of other domains.]`] : [])
  ].join("\n\n")
}

const renderOne = ({ date = "", text = "", title, url }: WebResult, i: number): string =>
  [
    `${i + 1}. ${Truncate.line(oneLine(title) || "(no title)", limits.title)}`,
    `   ${new URL(url).href}`,
    ...(date === "" ? [] : [`   ${Truncate.line(oneLine(date), limits.date)}`]),
    ...(text === "" ? [] : [`   ${Truncate.line(oneLine(text), limits.text)}`])
  ].join("\n")

/** Markup and entities of an excerpt removed, nothing invisible, and all on one line. */
const oneLine = (text: string): string => lines(text).replace(/\s+/g, " ").trim()

const entities: Readonly<Record<string, string>> = { amp: "&", apos: "'", gt: ">", lt: "<", nbsp: " ", quot: "\"" }

const lines = (text: string): string =>
  SafeText.of(
    text.replace(/<\/?[a-z][^<>]{0,200}>/gi, "")
      .replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, (match, decimal, hex, name) =>
        name !== undefined ? entities[String(name).toLowerCase()] ?? match
          : character(decimal === undefined ? parseInt(hex, 16) : Number(decimal)))
  ).trim()

const character = (code: number): string => code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : "\ufffd"
