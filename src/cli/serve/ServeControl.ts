/** `dacapo serve`: the control protocol over HTTP, for programs and several clients at once. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { createServer } from "node:http"
import { createServer as createSecureServer } from "node:https"
import type { ClientEvent } from "../../domain/control/ClientEvent.ts"
import { ControlError, type Operation } from "../../domain/control/Operation.ts"
import type * as PageData from "../../domain/control/PageData.ts"
import { isOperationFailure } from "../../domain/control/OperationFailure.ts"
import * as Gate from "../../layers/mcp/Gate.ts"
import * as Secret from "../../layers/network/Secret.ts"
import * as Exporters from "../../layers/telemetry/Exporters.ts"
import type { Environment } from "../../services/Environment.ts"
import { Storage, type Summary } from "../../services/Storage.ts"
import type { Values } from "../args/Flags.ts"
import { AgentLayers } from "../process/AgentLayers.ts"
import { InputError } from "../process/CliError.ts"
import * as ErrorMessage from "../process/ErrorMessage.ts"
import type { Failure } from "../process/ExitCode.ts"
import * as HostedSession from "../process/HostedSession.ts"
import { Host } from "../process/Host.ts"
import * as FindSession from "../start/FindSession.ts"
import * as WorkingFolder from "../start/WorkingFolder.ts"
import { ControlApi, RequestFailed } from "./ControlApi.ts"
import * as PageFiles from "./PageFiles.ts"
import * as PageLogin from "./PageLogin.ts"
import * as PageRoutes from "./PageRoutes.ts"
import * as RequestLimits from "./RequestLimits.ts"
import type { ServeAddress } from "./ServeAddress.ts"

/** Serves until the scope closes; `port` 0 picks a free one. Every request needs the token, which belongs to this run. */
export const serve = Effect.fnUntraced(function*(values: Values, port: number, address: ServeAddress) {
  const { environment } = yield* Host
  const sessions = yield* makeSessions(values)
  const handlers = HttpApiBuilder.group(ControlApi, "control", (group) =>
    group
      .handle("sessions", ({ query }) => sessions.list(query.cwd))
      .handle("operate", ({ payload }) => sessions.run(payload))
      .handle("events", ({ headers, params, query }) => {
        const last = /^\d{1,9}$/.exec(headers["last-event-id"] ?? "")
        return sessions.events(params.session, last === null ? query.from ?? 0 : Number(last[0]) + 1)
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
  const token = yield* Secret.make
  const files = PageFiles.make()
  const page = yield* PageRoutes.make(sessions, values)
  const login = PageLogin.make(yield* Secret.make, { port: boundPort, isSecure: tls !== undefined, isExposed })
  const served: Gate.ServedAddress = { protocol, names, port: boundPort }
  const url = new URL(`${protocol}://${names[0]}:${boundPort}`).origin
  const foreignRefusal = Gate.foreignRefusal(served)
  const gate = Gate.make(token, served, login.isAuthorized)
  yield* server.serve(Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    const requested = RequestLimits.parseUrl(request.url, url)
    if (requested instanceof Response) return HttpServerResponse.fromWeb(requested)
    const file = files.respond(request.method, requested.pathname, request.headers["accept-encoding"] ?? "")
    const refusal = file === undefined ? (yield* gate(request)) ?? RequestLimits.bodyRefusal(request) : foreignRefusal(request) ?? file
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

/** The sessions of this process: each opens when a client first names it, and stays open until the server stops. */
export const makeSessions = Effect.fnUntraced(function*(values: Values) {
  const host = yield* Host
  const services = yield* Effect.context<AgentLayers | Host>()
  const { records } = yield* AgentLayers
  const serverScope = yield* Effect.scope
  const opened = new Map<string, HostedSession.HostedSession>()
  const lock = yield* Semaphore.make(1)

  const openSession = (options: Omit<HostedSession.Options, "values" | "roots">) =>
    Effect.gen(function*() {
      const scope = yield* Scope.fork(serverScope)
      const session = yield* HostedSession.open({ ...options, values, roots: [] }).pipe(
        Effect.provideService(Scope.Scope, scope),
        Effect.onError(() => Scope.close(scope, Exit.void))
      )
      opened.set(session.id, session)
      return session
    })

  const start = Effect.fnUntraced(function*(operation: Extract<Operation, { readonly _tag: "Start" }>) {
    const session = yield* openSession({ cwd: yield* WorkingFolder.open(host.cwd, operation.cwd), start: operation })
    return { session: session.id }
  })

  /** The session that started a subagent, directly or not: its services run them all. */
  const rootOf = (stored: Summary): Effect.Effect<Summary, Failure> =>
    stored.parent === undefined
      ? Effect.succeed(stored)
      : Effect.flatMap(Effect.provide(FindSession.find(stored.parent), records), rootOf)

  /** Two clients that name a stored session at once open it once. `id` is the named one, which may be a subagent's. */
  const find = (name: string) =>
    lock.withPermits(1)(Effect.gen(function*() {
      const session = opened.get(name)
      if (session !== undefined) return { ...session, id: name }
      const stored = yield* Effect.provide(FindSession.find(name), records)
      const root = yield* rootOf(stored)
      const hosted = opened.get(root.id) ?? (yield* openSession({ cwd: yield* WorkingFolder.open(root.cwd, undefined), stored: root.id }))
      return { ...hosted, id: stored.id }
    }))

  /** What waits for an answer in the open sessions. A fork shares the services of its origin, and so what waits there. */
  const waiting = Effect.suspend(() => {
    const hosts = new Map([...opened.values()].map((session) => [session.controller, session])).values()
    return Effect.forEach(hosts, ({ id, pending, redacted }) =>
      Effect.forEach(pending(), (request) => {
        const session = request.session ?? id
        return Effect.flatMap(rootId(session), (root) => redacted<PageData.WaitingRequest>({ session, root, request }))
      }))
  }).pipe(Effect.map((lists) => lists.flat()))

  const rootId = (session: string): Effect.Effect<string> =>
    opened.has(session) ? Effect.succeed(session) : Effect.provide(FindSession.find(session), records).pipe(
      Effect.flatMap(rootOf),
      Effect.map(({ id }) => id),
      Effect.orElseSucceed(() => session),
      Effect.provide(services)
    )

  return {
    waiting,
    isOpen: (id: string) => opened.has(id),
    list: (cwd: string | undefined) =>
      Effect.gen(function*() {
        const storage = yield* Storage
        const all = yield* storage.list({ parent: null, ...(cwd === undefined ? {} : { cwd }) })
        return all.map((summary) => ({ ...summary, isOpen: opened.has(summary.id) }))
      }).pipe(Effect.provide(records), Effect.mapError(requestFailed)),
    run: (operation: Operation) =>
      Effect.gen(function*() {
        const mode = operation._tag === "SetMode" || operation._tag === "Start" ? operation.mode : undefined
        if (mode === "bypassPermissions" && values.permissionMode !== mode) {
          return yield* new ControlError({
            reason: "Invalid",
            message: "bypassPermissions is only available to a server that was started with it."
          })
        }
        if (operation._tag === "Start") return yield* start(operation)
        const session = yield* find(operation.session)
        const result = yield* Effect.flatMap(session.controller.run({ ...operation, session: session.id }), session.redacted)
        // A fork runs where its origin does: its log is open there.
        if (operation._tag === "Fork") opened.set(result.session, { ...session, id: result.session })
        return result
      }).pipe(Effect.provide(services), Effect.mapError(requestFailed)),
    events: (id: string, from: number) =>
      find(id).pipe(
        Effect.map((session) =>
          session.controller.events(session.id, from).pipe(
            Stream.mapEffect(session.redacted),
            Stream.map(message),
            // A client that was detached, or whose session can't be read, sees the end and may connect again.
            Stream.catchCause(() => Stream.empty)
          )
        ),
        Effect.provide(services),
        Effect.mapError(requestFailed)
      )
  }
})

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

const requestFailed = (failure: Failure | ControlError): RequestFailed =>
  new RequestFailed({
    reason: failure._tag === "ControlError" ? "Invalid"
      : failure._tag === "LogError" && failure.reason._tag === "NotFound" ? "NotFound" : "Failed",
    ...ErrorMessage.body(failure),
    ...(isOperationFailure(failure) ? { error: failure } : {})
  })
