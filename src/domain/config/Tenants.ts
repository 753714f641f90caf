/** The file of `serve --tenants`: who may use a cluster, with which tokens, and how much of it. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as UnknownField from "./UnknownField.ts"

const count = (maximum: number) => Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum })))

/** What is absent is unlimited. A session and its subagents count as one; a day is one in UTC. */
export const TenantLimits = Schema.Struct({
  /** Sessions that work at the same time. */
  sessions: Schema.optionalKey(count(100_000)),
  messagesPerMinute: Schema.optionalKey(count(6_000)),
  usdPerDay: Schema.optionalKey(Schema.Finite.pipe(Schema.check(Schema.isGreaterThan(0))))
})
export type TenantLimits = typeof TenantLimits.Type

const TokenHash = Schema.String.pipe(
  Schema.check(
    Schema.isPattern(/^[0-9a-f]{64}$/, {
      message: "Expected the SHA-256 of a token, 64 lower-case hexadecimal digits: printf %s \"$TOKEN\" | sha256sum"
    })
  )
)

const TenantEntry = Schema.Struct({
  /** The SHA-256 of each token. The tokens themselves are not stored. */
  tokenHashes: Schema.NonEmptyArray(TokenHash),
  limits: Schema.optionalKey(TenantLimits)
})

export interface Tenant {
  readonly name: string
  readonly tokenHashes: ReadonlyArray<string>
  readonly limits: TenantLimits
}

/** That of an empty token, which a variable that is not set leaves. */
const emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

/** A name is also the name of a folder of secrets. */
const isName = (name: string): boolean => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(name)

const decode = Schema.decodeUnknownResult(Schema.Record(Schema.String, TenantEntry), { onExcessProperty: "error" })

const fieldsAt = (path: ReadonlyArray<string>): ReadonlyArray<string> | undefined =>
  path.length === 1 ? Object.keys(TenantEntry.fields)
    : path.length === 2 && path[1] === "limits" ? Object.keys(TenantLimits.fields)
    : undefined

/** The tenants by name; a failure says what is wrong in the file, and where. */
export const parse = (value: unknown): Result.Result<ReadonlyArray<Tenant>, string> =>
  Result.gen(function*() {
    const entries = yield* Result.mapError(decode(value ?? {}), ({ message }) => UnknownField.explain(message, fieldsAt))
    const tenants = Object.entries(entries).map(([name, { limits = {}, tokenHashes }]): Tenant => ({ name, limits, tokenHashes }))
    if (tenants.length === 0) {
      return yield* Result.fail("has no tenants. Name at least one: { \"acme\": { \"tokenHashes\": [\"…\"] } }")
    }
    const invalid = tenants.find(({ name }) => !isName(name))
    if (invalid !== undefined) {
      return yield* Result.fail(
        `${JSON.stringify(invalid.name)} is not a valid name of a tenant; expected lower-case letters, digits and "-", at most 63.`
      )
    }
    const owners = new Map<string, string>()
    for (const { name, tokenHashes } of tenants) {
      for (const hash of tokenHashes) {
        if (hash === emptyHash) {
          return yield* Result.fail(`gives ${name} the SHA-256 of an empty text. Was the variable with the token set?`)
        }
        const owner = owners.get(hash)
        if (owner !== undefined) {
          return yield* Result.fail(
            owner === name ? `names the token ${hash.slice(0, 8)}… twice in ${name}. Remove one of them.`
              : `gives ${owner} and ${name} the same token (${hash.slice(0, 8)}…). Give each tenant a token of its own.`
          )
        }
        owners.set(hash, name)
      }
    }
    return tenants
  })
