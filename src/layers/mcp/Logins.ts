/** Logins of this user at remote servers: tokens are kept like keys, one place for each server and address. */
import type { FetchLike } from "@modelcontextprotocol/client"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { createServer } from "node:http"
import type { Definition } from "../../domain/mcp/Definition.ts"
import { McpError } from "../../domain/mcp/McpError.ts"
import * as Keys from "../../services/Keys.ts"
import { Ids } from "../../services/Ids.ts"
import { sha256 } from "../storage/Digest.ts"
import type { Kept, Login } from "./Auth.ts"

/** Which fetch a connection uses; undefined: the one that there is. */
export type Wrap = ((fetch: FetchLike) => FetchLike) | undefined

/** The name under which a server's tokens are kept. */
export const nameOf = (server: string, url: string): string => `MCP_${server.replace(/[^A-Za-z0-9]/g, "_").toUpperCase()}_${sha256(url).slice(0, 8)}`

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json)))

const read = Effect.fnUntraced(function*(name: string) {
  const found = yield* (yield* Keys.Keys).find(name)
  return found === undefined ? undefined : yield* Effect.orElseSucceed(decode(Redacted.value(found.key)), () => undefined) as Effect.Effect<Kept | undefined>
})

const write = Effect.fnUntraced(function*(name: string, kept: Kept) {
  yield* (yield* Keys.Keys).save(name, Redacted.make(JSON.stringify(kept), { label: name }))
})

/** Where the user logged in before: their tokens, renewed when they are over. Nobody is asked to log in now. */
export const kept = Effect.fn("Mcp.kept")(function*({ name: server, oauth }: Definition, url: string) {
  const name = nameOf(server, url)
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  const found = yield* Effect.orElseSucceed(read(name), () => undefined)
  if (found?.tokens === undefined) return undefined
  const Auth = yield* Effect.promise(() => import("./Auth.ts"))
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
const options = ({ clientId, clientSecret, scope, skipIssuerCheck = false }: NonNullable<Definition["oauth"]> = {}) => ({
  skipIssuerCheck,
  ...(clientId === undefined ? {} : { client: { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) } }),
  ...(scope === undefined ? {} : { scope })
})

/**
 * A login for a connection that is about to be made: `visit` is told the address that the user is to open, and the browser
 * comes back to a listener on this machine, which is there until the scope closes.
 */
export const fresh = Effect.fn("Mcp.login")(function*({ name: server, oauth }: Definition, url: string, visit: (url: string) => Effect.Effect<void>) {
  const name = nameOf(server, url)
  const state = yield* (yield* Ids).seed
  const back = yield* Deferred.make<URLSearchParams>()
  const listener = yield* NodeHttpServer.make(() => createServer(), { port: oauth?.callbackPort ?? 0, host: "127.0.0.1" }).pipe(
    Effect.mapError(({ cause }) => new McpError({ server, reason: "NotStarted", message: `can't be logged in to: no address for the answer (${cause instanceof Error ? cause.message : String(cause)})` }))
  )
  yield* listener.serve(Effect.gen(function*() {
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const asked = new URL(url, "http://127.0.0.1")
    if (asked.pathname !== "/callback") return HttpServerResponse.text("Nothing is here.", { status: 404 })
    yield* Deferred.succeed(back, asked.searchParams)
    return HttpServerResponse.text("efferent has the answer. You can close this page.")
  }))
  const port = "port" in listener.address ? listener.address.port : 0
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  const Auth = yield* Effect.promise(() => import("./Auth.ts"))
  // What an earlier login was registered with names another address to come back to.
  let now: Kept = {}
  return Auth.login({
    server: url,
    redirectUrl: `http://127.0.0.1:${port}/callback`,
    state,
    read: () => Promise.resolve(now),
    write: (kept) => {
      now = kept
      return run(write(name, kept))
    },
    visit: (url) => run(Effect.andThen(visit(url.href), Deferred.await(back))),
    ...options(oauth)
  }) satisfies Login as Login
})

/** Whether there was something to forget. */
export const forget = Effect.fnUntraced(function*(server: string, url: string) {
  return yield* (yield* Keys.Keys).remove(nameOf(server, url))
})
