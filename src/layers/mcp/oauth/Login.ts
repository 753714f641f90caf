/** Logging in to servers at an address, because the user says so. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { Environment } from "../../../services/Environment.ts"
import type { Ids } from "../../../services/Ids.ts"
import type { Servers } from "../../../services/Mcp.ts"
import type { Directory } from "../client/ServerDirectory.ts"
import * as Logins from "./TokenStore.ts"
import type { Pool } from "../client/ConnectionPool.ts"

/** ms that a person has to log in. */
const patience = 10 * 60_000

export const make = (services: Context.Context<Environment | Ids>, { remote }: Directory, { marker }: Pool): Pick<Servers, "login" | "logout"> => ({
  login: Effect.fn("Mcp.login")(function*(cwd, name, visit) {
    const { definition, transport } = yield* remote(cwd, name)
    const [{ open }, { wrap }, Browser] = yield* Effect.promise(() => Promise.all([import("../client/Connect.ts"), import("./OAuth.ts"), import("./BrowserLogin.ts")]))
    const login = yield* Browser.login(definition, transport.url, visit)
    let asked = false
    yield* open({
      definition,
      cwd,
      variables: Context.get(services, Environment).variables,
      marker: marker(),
      transport: { ...transport, guessed: false },
      connectMs: patience,
      capabilities: {},
      prepare: () => {},
      wrap: (fetch) => wrap(fetch, { ...login, visit: (to) => (asked = true, login.visit(to)) }),
      changed: () => {},
      closed: () => {}
    })
    return asked
  }, Effect.scoped, Effect.provide(services)),

  logout: Effect.fn("Mcp.logout")(function*(cwd, name) {
    const { definition, transport } = yield* remote(cwd, name)
    return yield* Logins.forget(definition.name, transport.url)
  }, Effect.provide(services))
})
