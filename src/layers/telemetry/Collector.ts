/** Where spans go: the OTLP collector that the standard `OTEL_*` variables name. Settings of a project have no say in it. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as Schedule from "effect/Schedule"
import type { Span } from "../../domain/telemetry/Span.ts"
import type { Environment } from "../../services/Environment.ts"
import { Fetch } from "../../services/Fetch.ts"
import * as FetchLive from "../provider/transport/FetchLive.ts"
import * as Otlp from "./Otlp.ts"

type Variables = Environment["Service"]["variables"]

export type Signal = "traces" | "metrics" | "logs"

export interface Collector {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly protocol: "http/json" | "http/protobuf"
  readonly timeoutMs: number
}

/**
 * The collector for a signal; undefined if there is none, a sentence if it can't be used. A variable for the signal precedes the
 * general one.
 */
export const fromVariables = (variables: Variables, signal: Signal = "traces"): Collector | string | undefined => {
  const prefix = `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}`
  const value = (name: string) => variables[`${prefix}_${name}`] || variables[`OTEL_EXPORTER_OTLP_${name}`]
  const base = variables["OTEL_EXPORTER_OTLP_ENDPOINT"]
  const address = variables[`${prefix}_ENDPOINT`] || (base ? `${base.replace(/\/+$/, "")}/v1/${signal}` : undefined)
  if (address === undefined) return undefined
  if (!/^https?:$/.test(URL.parse(address)?.protocol ?? ""))
    return `"${address}" is not a valid OTLP endpoint; expected an http or https URL.`
  const protocol = value("PROTOCOL") ?? "http/json"
  if (protocol !== "http/json" && protocol !== "http/protobuf") {
    return `"${protocol}" is not a supported OTLP protocol; expected http/json or http/protobuf.`
  }
  return {
    url: address,
    headers: Object.fromEntries(Otlp.pairs(value("HEADERS"))),
    protocol,
    timeoutMs: Number(value("TIMEOUT")) || 10_000
  }
}

/** Spans of one request. */
const maxBatchSize = 1000

/** Through the user's proxy. No redirects: the headers may hold a key. */
export const client = Layer.unwrap(Effect.map(Fetch, (fetch) =>
  FetchHttpClient.layer.pipe(
    Layer.provide(Layer.succeed(FetchHttpClient.Fetch, fetch)),
    Layer.provideMerge(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "error" }))
  ))).pipe(Layer.provide(FetchLive.layer))

export const serialization = ({ protocol }: Collector) =>
  protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf

/** Sends spans and fails if the collector does not accept them, after a few attempts. */
export const send = Effect.fnUntraced(function*(collector: Collector, spans: ReadonlyArray<Span>, resource: Otlp.ResourceOptions) {
  const http = (yield* HttpClient.HttpClient).pipe(
    HttpClient.filterStatusOk,
    HttpClient.retryTransient({ schedule: Schedule.exponential("500 millis"), times: 3 })
  )
  const { traces } = yield* OtlpSerialization.OtlpSerialization
  for (let i = 0; i < spans.length; i += maxBatchSize) {
    const body = traces(Otlp.encodeSpans(spans.slice(i, i + maxBatchSize), resource))
    const request = HttpClientRequest.post(collector.url, { headers: collector.headers }).pipe(HttpClientRequest.setBody(body))
    yield* http.execute(request).pipe(
      Effect.flatMap((response) => response.arrayBuffer),
      Effect.timeout(Duration.millis(collector.timeoutMs))
    )
  }
})
