/** Encodes the requests of providers that this program does not have, on the wire that the log names. */
import type { Model } from "../../domain/provider/Model.ts"
import type { Connection } from "../../services/Route.ts"
import * as CustomRoutes from "../provider/CustomRoutes.ts"

/** Undefined for a built-in provider, for a model of an older log, and for a wire that settings can't name. Nothing is ever sent. */
export const encoder = ({ provider, wire }: Model): Pick<Connection, "encode"> | undefined => {
  const route = CustomRoutes.ofWire(provider, wire)
  return route?.connect({
    provider,
    baseUrl: "http://localhost",
    key: undefined,
    idleMs: 0,
    variables: {},
    fetch: () => Promise.reject(new Error("A replay sends nothing.")),
    decorate: (request) => request
  })
}
