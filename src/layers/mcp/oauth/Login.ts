/** Login to remote servers at the user's request. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as BrowserReach from "../../../domain/approval/BrowserReach.ts"
import { McpError } from "../../../domain/mcp/McpError.ts"
import type * as Pinned from "../../network/Pinned.ts"
import { Environment } from "../../../services/Environment.ts"
import type { Ids } from "../../../services/Ids.ts"
import type { Servers } from "../../../services/Mcp.ts"
import type { StartApproval } from "../client/StartApproval.ts"
import * as Consent from "../client/StartApproval.ts"
import type { Directory } from "../client/ServerDirectory.ts"
import * as TokenStore from "./TokenStore.ts"
import type { ConnectionPool } from "../client/ConnectionPool.ts"

/** ms that a person has to log in. */
const timeoutMs = 10 * 60_000

export const make = (
  services: Context.Context<Environment | Ids>,
  { remote }: Directory,
  { isApproved }: StartApproval,
  { marker }: ConnectionPool,
  wires: Pinned.Wires
): Pick<Servers, "login" | "logout"> => ({
  login: Effect.fn("Mcp.login")(
    function*(cwd, name, visit) {
      const { definition, known: server, rules, transport } = yield* remote(cwd, name)
      if (!(yield* isApproved(server, cwd)))
        return yield* new McpError({
          server: name,
          reason: "Unwanted",
          message: `was not allowed. ${Consent.remedy(name)}`
        })
      const [{ open }, { wrap }, BrowserLogin] = yield* Effect.promise(() =>
        Promise.all([import("../client/Connect.ts"), import("./OAuth.ts"), import("./BrowserLogin.ts")])
      )
      const login = yield* BrowserLogin.login(definition, transport.url, visit)
      let hasPrompted = false
      yield* open({
        definition,
        cwd,
        variables: Context.get(services, Environment).variables,
        marker: marker(),
        transport: { ...transport, isTypeInferred: false },
        confine: undefined,
        wires,
        named: BrowserReach.serverHostMatcher(rules, transport.url),
        connectMs: timeoutMs,
        capabilities: {},
        prepare: () => {},
        wrap: (fetch) => wrap(fetch, { ...login, visit: (url) => (hasPrompted = true, login.visit(url)) }),
        changed: () => {},
        closed: () => {}
      })
      return hasPrompted
    },
    Effect.scoped,
    Effect.provide(services)
  ),

  logout: Effect.fn("Mcp.logout")(function*(cwd, name) {
    const { definition, transport } = yield* remote(cwd, name)
    return yield* TokenStore.forget(definition.name, transport.url)
  }, Effect.provide(services))
})
