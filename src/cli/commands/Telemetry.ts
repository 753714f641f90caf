/** `dacapo telemetry export <session>`: a session as OpenTelemetry spans, printed or sent to a collector. */
import * as Effect from "effect/Effect"
import { optional } from "../../domain/Optional.ts"
import type { Span } from "../../domain/telemetry/Span.ts"
import * as TraceContext from "../../domain/telemetry/TraceContext.ts"
import * as Collector from "../../layers/telemetry/Collector.ts"
import * as Otlp from "../../layers/telemetry/Otlp.ts"
import * as SessionTrace from "../../layers/telemetry/SessionTrace.ts"
import { Redactor } from "../../services/Redactor.ts"
import type { Run } from "../Command.ts"
import { AgentLayers } from "../process/AgentLayers.ts"
import { CollectorError, unknownAction, UsageError } from "../process/CliError.ts"
import { Host } from "../process/Host.ts"
import * as StreamJson from "../render/json/StreamJson.ts"
import * as View from "../render/view/View.ts"
import * as FindSession from "../start/FindSession.ts"

export const run: Run = Effect.fnUntraced(function*({ values, args: [action = "export", name = "latest", ...extraArgs] }) {
  if (action !== "export" || extraArgs.length > 0) return yield* unknownAction("telemetry", [action, ...extraArgs].join(" "), ["export"])
  const { environment, stdout } = yield* Host
  const { records } = yield* AgentLayers
  const collector = values.send === true ? yield* requireCollector(environment.variables) : undefined
  const parent = TraceContext.parse(environment.variables["TRACEPARENT"] ?? "")
  const spans = yield* Effect.provide(gather(name, parent, values.content === true), records)
  if (collector === undefined) {
    yield* stdout.data(StreamJson.line(Otlp.encodeSpans(spans, environment)))
    return 0
  }
  yield* Effect.provide(send(collector, spans, environment), records)
  yield* stdout.write(
    values.outputFormat === undefined || values.outputFormat === "text"
      ? `Sent ${spans.length} spans to ${View.line(collector.url)}.\n`
      : StreamJson.line({ spans: spans.length, url: collector.url })
  )
  return 0
})

const gather = Effect.fnUntraced(function*(name: string, parent: TraceContext.TraceContext | undefined, hasContent: boolean) {
  const { id } = yield* FindSession.find(name)
  const content = hasContent ? yield* Effect.flatMap(Redactor, ({ redact }) => redact) : undefined
  return yield* SessionTrace.gather(id, optional({ parent, content }))
})

const requireCollector = (variables: Otlp.ResourceOptions["variables"]): Effect.Effect<Collector.Collector, UsageError> => {
  const collector = Collector.fromVariables(variables) ?? "Set OTEL_EXPORTER_OTLP_ENDPOINT to the address of a collector."
  return typeof collector === "string" ? Effect.fail(new UsageError({ message: collector })) : Effect.succeed(collector)
}

const send = (collector: Collector.Collector, spans: ReadonlyArray<Span>, resource: Otlp.ResourceOptions) =>
  Collector.send(collector, spans, resource).pipe(
    Effect.provide([Collector.client, Collector.serialization(collector)]),
    Effect.mapError((error) => new CollectorError({ message: `${collector.url} did not accept the spans: ${error.message}` }))
  )
