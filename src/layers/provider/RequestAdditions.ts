/**
 * What the user's settings add to every request of a route: headers, query parameters and body fields. They are added at the
 * last moment, so that no log, event or recorded request contains them.
 */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { optional } from "../../domain/Optional.ts"
import type { ProviderSettings } from "../../domain/config/Settings.ts"
import { expand, type Variables } from "../../domain/config/Variables.ts"
import type { Outgoing } from "../../services/Route.ts"
import { isObject } from "../../domain/Json.ts"

export interface Additions {
  readonly baseUrl: string | undefined
  readonly idleMs: number | undefined
  readonly values: Redacted.Redacted<{
    readonly headers: Readonly<Record<string, string>>
    readonly query: Readonly<Record<string, string>>
    readonly body: Schema.JsonObject
  }>
  /** Values that no message may show. */
  readonly secrets: ReadonlyArray<Redacted.Redacted>
}

export const none: Additions = {
  baseUrl: undefined,
  idleMs: undefined,
  values: Redacted.make({ headers: {}, query: {}, body: {} }),
  secrets: []
}

/** Names of headers, parameters and variables that hold secrets. */
export const secretName = /auth|key|token|secret|password|cookie|session|credential/i

/** The settings with their variables replaced by values. A failure is the name of a variable that is not set. */
export const resolve = (settings: ProviderSettings, variables: Variables): Result.Result<Additions, string> => {
  const secrets: Array<string> = []
  let missing: string | undefined
  const fill = (text: string): string =>
    expand(text, variables, (name, value) => {
      if (value === undefined) missing ??= name
      else secrets.push(value)
    })
  const fillTexts = (record: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(
      Object.entries(record).map(([name, text]) => {
        const value = fill(text)
        if (secretName.test(name)) secrets.push(value, value.replace(/^\S+\s+/, ""))
        return [name, value]
      })
    )
  const fillJson = (value: Schema.Json): Schema.Json =>
    typeof value === "string" ? fill(value)
      : Array.isArray(value) ? value.map(fillJson)
      : typeof value === "object" && value !== null ?
      Object.fromEntries(Object.entries(value).map(([name, nested]) => [name, fillJson(nested)]))
      : value
  const additions: Additions = {
    baseUrl: settings.baseUrl === undefined ? undefined : fill(settings.baseUrl),
    idleMs: settings.timeout === undefined ? undefined : settings.timeout * 1000,
    values: Redacted.make({
      headers: fillTexts(settings.headers),
      query: fillTexts(settings.query),
      body: fillJson(settings.body ?? {}) as Schema.JsonObject
    }),
    // A short value is hardly a secret, and redacting it would make messages unreadable.
    secrets: secrets.filter(({ length }) => length >= 8).map((secret) => Redacted.make(secret))
  }
  return missing === undefined ? Result.succeed(additions) : Result.fail(missing)
}

type Fetch = typeof globalThis.fetch

/** Adds them to a request. Objects in the body are merged; any other field of ours is replaced. */
export const add = ({ values }: Additions) => ({ body, headers, url }: Outgoing): Outgoing => {
  const additions = Redacted.value(values)
  const address = new URL(url)
  for (const [name, value] of Object.entries(additions.query)) address.searchParams.set(name, value)
  const allHeaders = new Headers(headers)
  for (const [name, value] of Object.entries(additions.headers)) allHeaders.set(name, value)
  return { url: address, headers: allHeaders, body: withFields(body, additions.body) }
}

/** A fetch that adds them. */
export const wrap = (fetch: Fetch, additions: Additions): Fetch => {
  const { body, headers, query } = Redacted.value(additions.values)
  if ([body, headers, query].every((fields) => Object.keys(fields).length === 0)) return fetch
  const addTo = add(additions)
  return (input, init) => {
    const outgoing = addTo({
      url: new URL(input instanceof Request ? input.url : input),
      headers: new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined)),
      body: init?.body
    })
    return fetch(outgoing.url, { ...init, headers: outgoing.headers, ...optional({ body: outgoing.body }) })
  }
}

/** Only JSON takes fields: as text, or as the bytes of text. */
const withFields = (body: Outgoing["body"], fields: Schema.JsonObject): Outgoing["body"] => {
  if (Object.keys(fields).length === 0) return body
  const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : body
  return typeof text === "string" ? JSON.stringify(merged(JSON.parse(text) as Schema.Json, fields)) : body
}

const merged = (body: Schema.Json | undefined, addition: Schema.Json): Schema.Json =>
  isObject(body) && isObject(addition)
    ? { ...body, ...Object.fromEntries(Object.entries(addition).map(([name, value]) => [name, merged(body[name], value)])) }
    : addition
