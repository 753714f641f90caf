/** Logins of this user at remote servers: tokens are kept like keys, one place for each server and address. */
import type { FetchLike } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Definition } from "../../../domain/mcp/Definition.ts"
import * as Keys from "../../../services/Keys.ts"
import { sha256 } from "../../storage/Digest.ts"
import type { Kept } from "./OAuth.ts"

/** Which fetch a connection uses; undefined: the one that there is. */
export type Wrap = ((fetch: FetchLike) => FetchLike) | undefined

/** The name under which a server's tokens are kept. */
export const nameOf = (server: string, url: string): string => `MCP_${server.replace(/[^A-Za-z0-9]/g, "_").toUpperCase()}_${sha256(url).slice(0, 8)}`

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json)))

const read = Effect.fnUntraced(function*(name: string) {
  const found = yield* (yield* Keys.Keys).find(name)
  return found === undefined ? undefined : yield* Effect.orElseSucceed(decode(Redacted.value(found.key)), () => undefined) as Effect.Effect<Kept | undefined>
})

/** Keeps what is known of a login. */
export const write = Effect.fnUntraced(function*(name: string, kept: Kept) {
  yield* (yield* Keys.Keys).save(name, Redacted.make(JSON.stringify(kept), { label: name }))
})

/** Where the user logged in before: their tokens, renewed when they are over. Nobody is asked to log in now. */
export const kept = Effect.fn("Mcp.kept")(function*({ name: server, oauth }: Definition, url: string) {
  const name = nameOf(server, url)
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  const found = yield* Effect.orElseSucceed(read(name), () => undefined)
  if (found?.tokens === undefined) return undefined
  const Auth = yield* Effect.promise(() => import("./OAuth.ts"))
  const login = Auth.login({
    server: url,
    redirectUrl: "http://127.0.0.1/callback",
    state: "",
    read: () => run(Effect.map(read(name), (kept) => kept ?? {})),
    write: (kept) => run(write(name, kept)),
    visit: () => Promise.reject(new Error("the login is over")),
    ...options(oauth)
  })
  return (fetch: FetchLike) => Auth.wrap(fetch, login)
})

/** What the user wrote down of how to log in. */
export const options = ({ clientId, clientSecret, scope, skipIssuerCheck = false }: NonNullable<Definition["oauth"]> = {}) => ({
  skipIssuerCheck,
  ...(clientId === undefined ? {} : { client: { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) } }),
  ...(scope === undefined ? {} : { scope })
})

/** Whether there was something to forget. */
export const forget = Effect.fnUntraced(function*(server: string, url: string) {
  return yield* (yield* Keys.Keys).remove(nameOf(server, url))
})
