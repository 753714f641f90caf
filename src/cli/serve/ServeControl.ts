/** `dacapo serve`: the control protocol over HTTP, for programs and several clients at once. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
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
import type { LimitReached } from "../../domain/control/RequestFailed.ts"
import * as Gate from "../../layers/mcp/Gate.ts"
import * as Secret from "../../layers/network/Secret.ts"
import * as Exporters from "../../layers/telemetry/Exporters.ts"
import type { Environment } from "../../services/Environment.ts"
import type { Values } from "../args/Flags.ts"
import type { AgentLayers } from "../process/AgentLayers.ts"
import { InputError } from "../process/CliError.ts"
import { Host } from "../process/Host.ts"
import { ControlApi } from "./ControlApi.ts"
import * as PageFiles from "./PageFiles.ts"
import * as PageLogin from "./PageLogin.ts"
import * as PageRoutes from "./PageRoutes.ts"
import * as RequestLimits from "./RequestLimits.ts"
import type { ServeAddress } from "./ServeAddress.ts"
import type { ServedSessions } from "./ServedSessions.ts"

/** Those who share a token: what they are served. `hasToken`: whether a text is one of their tokens. */
export interface Party {
  readonly hasToken: (text: string) => boolean
  readonly sessions: ServedSessions
  readonly records: AgentLayers["Service"]["records"]
  /** One of several tenants, who see nothing of the server itself. */
  readonly isTenant: boolean
}

/** Serves until the scope closes, by default on a free port. Every request needs a token. */
export const serve = Effect.fnUntraced(function*(parties: ReadonlyArray<Party>, values: Values, address: ServeAddress) {
  const { environment } = yield* Host
  const { host, isExposed, names, protocol, tls } = address
  const { port = 0 } = values
  const create = yield* Effect.try({
    try: () => {
      const nodeServer = tls === undefined ? createServer(RequestLimits.timeouts)
        : createSecureServer({ ...tls, ...RequestLimits.timeouts })
      nodeServer.maxConnections = RequestLimits.maxConnections
      return () => nodeServer
    },
    catch: (error) => new InputError({ message: `The certificate and its key can't be used: ${(error as Error).message}.` })
  })
  const server = yield* NodeHttpServer.make(create, { port, host }).pipe(
    Effect.mapError(({ cause }) => new InputError({ message: `Can't serve on port ${port} of ${host}: ${String(cause)}.` }))
  )
  const boundPort = "port" in server.address ? server.address.port : port
  const files = PageFiles.make()
  const served: Gate.ServedAddress = { protocol, names, port: boundPort }
  const url = new URL(`${protocol}://${names[0]}:${boundPort}`).origin
  const foreignRefusal = Gate.foreignRefusal(served)
  const entrances = yield* Effect.forEach(
    parties,
    (party) => entrance(party, values, { port: boundPort, isSecure: tls !== undefined, isExposed })
  )
  const entranceOf = (head: Gate.RequestHead) => entrances.find(({ isAuthorized }) => isAuthorized(head))
  const gate = Gate.over(served, (head) => entranceOf(head) !== undefined)
  yield* server.serve(Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    const requested = RequestLimits.parseUrl(request.url, url)
    if (requested instanceof Response) return HttpServerResponse.fromWeb(requested)
    const file = files.respond(request.method, requested.pathname, request.headers["accept-encoding"] ?? "")
    const refusal = file === undefined ? (yield* gate(request)) ?? RequestLimits.bodyRefusal(request) : foreignRefusal(request) ?? file
    if (refusal !== undefined) return HttpServerResponse.fromWeb(refusal)
    const { handler, isTenant, login, page } = entranceOf(request)!
    if (requested.pathname === "/login" && request.method === "POST") return HttpServerResponse.fromWeb(login.setCookie())
    const answer = page.respond(request.method, requested, bodyText(request)) ??
      (isTenant ? undefined : metrics(environment, request.method, requested))
    if (answer !== undefined) return HttpServerResponse.fromWeb(yield* answer)
    const webRequest = yield* HttpServerRequest.toWeb(request)
    return HttpServerResponse.fromWeb(yield* Effect.promise(() => handler(webRequest)))
  }))
  return url
})

/** What answers the requests of one party, and how they are told from others'. */
const entrance = Effect.fnUntraced(function*({ hasToken, isTenant, records, sessions }: Party, values: Values, options: PageLogin.Options) {
  const handlers = HttpApiBuilder.group(ControlApi, "control", (group) =>
    group
      .handle("sessions", ({ query }) => sessions.list(query.cwd))
      .handle("operate", ({ payload }) => Effect.tapErrorTag(sessions.run(payload), "LimitReached", setRetryAfter))
      .handle("events", ({ headers, params, query }) => {
        const last = /^\d{1,9}$/.exec(headers["last-event-id"] ?? "")
        const from = last === null ? query.from ?? 0 : Number(last[0]) + 1
        return Effect.map(sessions.events(params.session, from), Stream.map(message))
      }))
  const routes = HttpApiBuilder.layer(ControlApi, { openapiPath: "/openapi.json" }).pipe(
    Layer.provide(handlers),
    Layer.provide(HttpServer.layerServices)
  )
  const { handler } = yield* Effect.acquireRelease(
    Effect.sync(() => HttpRouter.toWebHandler(routes, { disableLogger: true })),
    ({ dispose }) => Effect.promise(dispose)
  )
  const login = PageLogin.make(yield* Secret.make, options)
  const page = yield* PageRoutes.make({ ...sessions, records, isTenant }, values)
  const isAuthorized = (head: Gate.RequestHead) => hasToken(Gate.tokenOf(head)) || login.isAuthorized(head)
  return { handler, isAuthorized, isTenant, login, page }
})

const setRetryAfter = ({ retryAfter }: LimitReached) =>
  HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(HttpServerResponse.setHeader(response, "retry-after", `${retryAfter}`))
  )

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
