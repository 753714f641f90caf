/** This user's logins at remote servers: tokens are stored like keys, one entry for each server and address. */
import type { FetchLike } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { optional } from "../../../domain/Optional.ts"
import type { Definition } from "../../../domain/mcp/Definition.ts"
import * as Keys from "../../../services/Keys.ts"
import { sha256 } from "../../storage/Digest.ts"
import type { Credentials } from "./OAuth.ts"

/** Which fetch a connection uses; undefined: the default one. */
export type FetchWrapper = ((fetch: FetchLike) => FetchLike) | undefined

/** The name under which a server's tokens are stored. */
export const keyName = (server: string, url: string): string =>
  `MCP_${server.replace(/[^A-Za-z0-9]/g, "_").toUpperCase()}_${sha256(url).slice(0, 8)}`

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json)))

const read = Effect.fnUntraced(function*(name: string) {
  const entry = yield* (yield* Keys.Keys).find(name)
  return entry === undefined ? undefined : yield* Effect.orElseSucceed(decode(Redacted.value(entry.key)), () =>
    undefined) as Effect.Effect<Credentials | undefined>
})

/** Stores a login's data. */
export const write = Effect.fnUntraced(function*(name: string, credentials: Credentials) {
  yield* (yield* Keys.Keys).save(name, Redacted.make(JSON.stringify(credentials), { label: name }))
})

/** For a server where the user logged in before: their tokens, renewed when they expire. No login is started. */
export const storedLogin = Effect.fn("Mcp.kept")(function*({ name: server, oauth }: Definition, url: string) {
  const name = keyName(server, url)
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  const credentials = yield* Effect.orElseSucceed(read(name), () => undefined)
  if (credentials?.tokens === undefined) return undefined
  const Auth = yield* Effect.promise(() => import("./OAuth.ts"))
  const login = Auth.login({
    server: url,
    redirectUrl: "http://127.0.0.1/callback",
    state: "",
    read: () => run(Effect.map(read(name), (value) => value ?? {})),
    write: (value) => run(write(name, value)),
    visit: () => Promise.reject(new Error("the login has expired")),
    ...options(oauth)
  })
  return (fetch: FetchLike) => Auth.wrap(fetch, login)
})

/** What the user configured about the login. */
export const options = ({ clientId, clientSecret, scope, skipIssuerCheck = false }: NonNullable<Definition["oauth"]> = {}) => ({
  skipIssuerCheck,
  ...(clientId === undefined ? {}
    : { client: { client_id: clientId, ...optional({ client_secret: clientSecret }) } }),
  ...optional({ scope })
})

/** Whether there was something to forget. */
export const forget = Effect.fnUntraced(function*(server: string, url: string) {
  return yield* (yield* Keys.Keys).remove(keyName(server, url))
})
