/** `dacapo serve`: the control protocol over HTTP, for programs and several clients at once. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import * as Stream from "effect/Stream"
import { createServer } from "node:http"
import { createServer as createSecureServer } from "node:https"
import type { ClientEvent } from "../../domain/control/ClientEvent.ts"
import * as Gate from "../../layers/mcp/Gate.ts"
import * as Secret from "../../layers/network/Secret.ts"
import * as Exporters from "../../layers/telemetry/Exporters.ts"
import type { Environment } from "../../services/Environment.ts"
import { InputError } from "../process/CliError.ts"
import { Host } from "../process/Host.ts"
import { ControlApi } from "./ControlApi.ts"
import * as PageFiles from "./PageFiles.ts"
import * as PageLogin from "./PageLogin.ts"
import * as PageRoutes from "./PageRoutes.ts"
import type { ServeAddress } from "./ServeAddress.ts"
import type { ServedSessions } from "./ServedSessions.ts"

/** Serves until the scope closes; `port` 0 picks a free one. Every request needs the token, which belongs to this run. */
export const serve = Effect.fnUntraced(function*(sessions: ServedSessions, port: number, address: ServeAddress) {
  const { environment } = yield* Host
  const handlers = HttpApiBuilder.group(ControlApi, "control", (group) =>
    group
      .handle("sessions", ({ query }) => sessions.list(query.cwd))
      .handle("operate", ({ payload }) => sessions.run(payload))
      .handle("events", ({ headers, params, query }) => {
        const last = headers["last-event-id"]
        return Effect.map(sessions.events(params.session, last === undefined ? query.from ?? 0 : Number(last) + 1), Stream.map(message))
      }))
  const routes = HttpApiBuilder.layer(ControlApi, { openapiPath: "/openapi.json" }).pipe(
    Layer.provide(handlers),
    Layer.provide(HttpServer.layerServices)
  )
  const { handler } = yield* Effect.acquireRelease(
    Effect.sync(() => HttpRouter.toWebHandler(routes, { disableLogger: true })),
    ({ dispose }) => Effect.promise(dispose)
  )
  const { host, isExposed, names, protocol, tls } = address
  const create = yield* Effect.try({
    try: () => {
      const nodeServer = tls === undefined ? createServer() : createSecureServer(tls)
      return () => nodeServer
    },
    catch: (error) => new InputError({ message: `The certificate and its key can't be used: ${(error as Error).message}.` })
  })
  const server = yield* NodeHttpServer.make(create, { port, host }).pipe(
    Effect.mapError(({ cause }) => new InputError({ message: `Can't serve on port ${port} of ${host}: ${String(cause)}.` }))
  )
  const boundPort = "port" in server.address ? server.address.port : port
  const token = yield* Secret.make
  const files = PageFiles.make()
  const page = yield* PageRoutes.make(sessions.isOpen)
  const login = PageLogin.make(yield* Secret.make, { port: boundPort, isSecure: tls !== undefined, isExposed })
  const served: Gate.ServedAddress = { protocol, names, port: boundPort }
  const url = new URL(`${protocol}://${names[0]}:${boundPort}`).origin
  const foreignRefusal = Gate.foreignRefusal(served)
  const gate = Gate.make(token, served, login.isAuthorized)
  yield* server.serve(Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    const requested = new URL(request.url, url)
    const file = files.respond(request.method, requested.pathname, request.headers["accept-encoding"] ?? "")
    const refusal = file === undefined ? yield* gate(request) : foreignRefusal(request) ?? file
    if (refusal !== undefined) return HttpServerResponse.fromWeb(refusal)
    if (requested.pathname === "/login" && request.method === "POST") return HttpServerResponse.fromWeb(login.setCookie())
    const answer = page.respond(request.method, requested, bodyText(request)) ?? metrics(environment, request.method, requested)
    if (answer !== undefined) return HttpServerResponse.fromWeb(yield* answer)
    const webRequest = yield* HttpServerRequest.toWeb(request)
    return HttpServerResponse.fromWeb(yield* Effect.promise(() => handler(webRequest)))
  }))
  return { url, token }
})

/** Characters of a body that the page sends. */
const maxBody = 200_000

const bodyText = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<string, InputError> =>
  Effect.suspend(() =>
    Number(request.headers["content-length"] ?? maxBody + 1) > maxBody
      ? Effect.fail(new InputError({ message: `A request may have at most ${maxBody} bytes.` }))
      : Effect.mapError(request.text, () => new InputError({ message: "The request can't be read." }))
  )

/** `/metrics` in the text format of Prometheus, where `OTEL_METRICS_EXPORTER` names it; undefined for any other request. */
const metrics = ({ variables }: Environment["Service"], method: string, { pathname }: URL): Effect.Effect<Response> | undefined =>
  method === "GET" && pathname === "/metrics" && Exporters.hasPrometheus(variables)
    ? Effect.map(
      PrometheusMetrics.format(),
      (text) => new Response(text, { headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" } })
    )
    : undefined

const message = (event: ClientEvent) => ({
  event: "message" as const,
  data: event,
  ...(event._tag === "Settled" ? { id: `${event.at.seq}` } : {})
})
