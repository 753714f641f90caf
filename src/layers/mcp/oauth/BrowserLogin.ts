/** Login to a remote server in the user's browser, which is redirected to a listener on this machine. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { createServer } from "node:http"
import type { Definition } from "../../../domain/mcp/Definition.ts"
import { McpError } from "../../../domain/mcp/McpError.ts"
import * as Secret from "../../network/Secret.ts"
import * as OAuth from "./OAuth.ts"
import * as TokenStore from "./TokenStore.ts"

/**
 * A login for a connection to be made: `visit` is called with the address for the user to open, and the browser is
 * redirected to a listener on this machine, which runs until the scope closes.
 */
export const login = Effect.fn("Mcp.login")(
  function*({ name: server, oauth }: Definition, url: string, visit: (url: string) => Effect.Effect<void>) {
    const name = TokenStore.keyName(server, url)
    const state = yield* Secret.make
    const callback = yield* Deferred.make<URLSearchParams>()
    const listener = yield* NodeHttpServer.make(() => createServer(), { port: oauth?.callbackPort ?? 0, host: "127.0.0.1" }).pipe(
      Effect.mapError(({ cause }) =>
        new McpError({
          server,
          reason: "NotStarted",
          message: `can't log in: no address for the redirect (${cause instanceof Error ? cause.message : String(cause)})`
        })
      )
    )
    const { origin } = new URL(`http://127.0.0.1:${"port" in listener.address ? listener.address.port : 0}`)
    yield* listener.serve(Effect.gen(function*() {
      const { headers, method, url } = yield* HttpServerRequest.HttpServerRequest
      const requestUrl = new URL(url, origin)
      // Other users and pages can reach this port too: only the response to this very login counts, and any other is ignored.
      const isCallback = method === "GET" && `http://${headers["host"]}` === origin && requestUrl.pathname === "/callback" &&
        Secret.isSame(state, requestUrl.searchParams.get("state") ?? "")
      if (!isCallback) return HttpServerResponse.text("Not found.", { status: 404 })
      yield* Deferred.succeed(callback, requestUrl.searchParams)
      return HttpServerResponse.text("Login complete. You can close this page.")
    }))
    const run = Effect.runPromiseWith(yield* Effect.context<never>())
    // The registration of an earlier login names another redirect address.
    let credentials: OAuth.Credentials = {}
    return OAuth.login({
      server: url,
      redirectUrl: `${origin}/callback`,
      state,
      read: () => Promise.resolve(credentials),
      write: (value) => {
        credentials = value
        return run(TokenStore.write(name, value))
      },
      visit: (url) => run(Effect.andThen(visit(url.href), Deferred.await(callback))),
      ...TokenStore.options(oauth)
    }) satisfies OAuth.Login as OAuth.Login
  }
)
