/**
 * What the user's settings add to every request of a route: headers, parameters of the address, fields of the body.
 * They are put on at the last moment, so that no log, no event and no recorded request ever holds them.
 */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { ProviderSettings } from "../../domain/config/Settings.ts"
import type { Outgoing } from "../../services/Route.ts"

type Variables = Readonly<Record<string, string | undefined>>

export interface Additions {
  readonly baseUrl: string | undefined
  readonly idleMs: number | undefined
  readonly put: Redacted.Redacted<{
    readonly headers: Readonly<Record<string, string>>
    readonly query: Readonly<Record<string, string>>
    readonly body: Schema.JsonObject
  }>
  /** Texts that no message may show. */
  readonly secrets: ReadonlyArray<Redacted.Redacted>
}

export const none: Additions = { baseUrl: undefined, idleMs: undefined, put: Redacted.make({ headers: {}, query: {}, body: {} }), secrets: [] }

/** Names under which secrets travel. */
export const secretive = /auth|key|token|secret|password|cookie|session|credential/i

/** The settings with their variables filled in; a failure names the variable that is not set. */
export const resolve = (settings: ProviderSettings, variables: Variables): Result.Result<Additions, string> => {
  const secrets: Array<string> = []
  let missing: string | undefined
  const fill = (text: string): string =>
    text.replace(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (_, name: string, otherwise?: string) => {
      const value = variables[name] || otherwise
      if (value === undefined) missing ??= name
      else secrets.push(value)
      return value ?? ""
    })
  const texts = (record: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(Object.entries(record).map(([name, text]) => {
      const value = fill(text)
      if (secretive.test(name)) secrets.push(value, value.replace(/^\S+\s+/, ""))
      return [name, value]
    }))
  const all = (value: Schema.Json): Schema.Json =>
    typeof value === "string" ? fill(value)
    : Array.isArray(value) ? value.map(all)
    : typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, all(inner)]))
    : value
  const additions: Additions = {
    baseUrl: settings.baseUrl === undefined ? undefined : fill(settings.baseUrl),
    idleMs: settings.timeout === undefined ? undefined : settings.timeout * 1000,
    put: Redacted.make({
      headers: texts(settings.headers),
      query: texts(settings.query),
      body: all(settings.body ?? {}) as Schema.JsonObject
    }),
    // A short text is no secret, and would black out half of every message.
    secrets: secrets.filter(({ length }) => length >= 8).map((secret) => Redacted.make(secret))
  }
  return missing === undefined ? Result.succeed(additions) : Result.fail(missing)
}

type Fetch = typeof globalThis.fetch

/** Puts them on. Objects of the body are joined, everything else of ours gives way. */
export const add = ({ put }: Additions) => ({ body, headers, url }: Outgoing): Outgoing => {
  const more = Redacted.value(put)
  const address = new URL(url)
  for (const [name, value] of Object.entries(more.query)) address.searchParams.set(name, value)
  const all = new Headers(headers)
  for (const [name, value] of Object.entries(more.headers)) all.set(name, value)
  return { url: address, headers: all, body: typeof body === "string" ? joined(body, more.body) : body }
}

/** A fetch that puts them on. */
export const wrap = (fetch: Fetch, additions: Additions): Fetch => {
  const { body, headers, query } = Redacted.value(additions.put)
  if ([body, headers, query].every((one) => Object.keys(one).length === 0)) return fetch
  const added = add(additions)
  return (input, init) => {
    const made = added({
      url: new URL(input instanceof Request ? input.url : input),
      headers: new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined)),
      body: init?.body
    })
    return fetch(made.url, { ...init, headers: made.headers, ...(made.body === undefined ? {} : { body: made.body }) })
  }
}

const joined = (text: string, body: Schema.JsonObject): string => {
  if (Object.keys(body).length === 0) return text
  return JSON.stringify(join(JSON.parse(text) as Schema.Json, body))
}

const isObject = (value: Schema.Json | undefined): value is Schema.JsonObject => typeof value === "object" && value !== null && !Array.isArray(value)

const join = (ours: Schema.Json | undefined, theirs: Schema.Json): Schema.Json =>
  isObject(ours) && isObject(theirs)
    ? { ...ours, ...Object.fromEntries(Object.entries(theirs).map(([name, value]) => [name, join(ours[name], value)])) }
    : theirs
