/** Logging in to a remote server in the user's browser, which comes back to a listener on this machine. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { createServer } from "node:http"
import type { Definition } from "../../../domain/mcp/Definition.ts"
import { McpError } from "../../../domain/mcp/McpError.ts"
import { Ids } from "../../../services/Ids.ts"
import * as Auth from "./OAuth.ts"
import * as Logins from "./TokenStore.ts"

/**
 * A login for a connection that is about to be made: `visit` is told the address that the user is to open, and the browser
 * comes back to a listener on this machine, which is there until the scope closes.
 */
export const login = Effect.fn("Mcp.login")(function*({ name: server, oauth }: Definition, url: string, visit: (url: string) => Effect.Effect<void>) {
  const name = Logins.nameOf(server, url)
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
    return HttpServerResponse.text("dacapo has the answer. You can close this page.")
  }))
  const port = "port" in listener.address ? listener.address.port : 0
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  // What an earlier login was registered with names another address to come back to.
  let now: Auth.Kept = {}
  return Auth.login({
    server: url,
    redirectUrl: `http://127.0.0.1:${port}/callback`,
    state,
    read: () => Promise.resolve(now),
    write: (kept) => {
      now = kept
      return run(Logins.write(name, kept))
    },
    visit: (url) => run(Effect.andThen(visit(url.href), Deferred.await(back))),
    ...Logins.options(oauth)
  }) satisfies Auth.Login as Auth.Login
})
