/**
 * Exports a running agent's traces, metrics and logs as its events are stored, to the collector of the standard variables. Spans are
 * those of a later `telemetry export`. Nothing that goes wrong here reaches the agent: a collector that does not answer is left
 * alone for a minute, and what it missed is still in the log.
 */
import type * as Cause from "effect/Cause"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as OtlpExporter from "effect/observability/OtlpExporter"
import * as OtlpMetrics from "effect/observability/OtlpMetrics"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as Queue from "effect/Queue"
import type { SessionEvent } from "../../domain/session/SessionEvent.ts"
import * as LogRecord from "../../domain/telemetry/LogRecord.ts"
import * as SessionSpans from "../../domain/telemetry/SessionSpans.ts"
import type { Span } from "../../domain/telemetry/Span.ts"
import * as TraceContext from "../../domain/telemetry/TraceContext.ts"
import { Environment } from "../../services/Environment.ts"
import { Redactor } from "../../services/Redactor.ts"
import { Telemetry } from "../../services/process/Telemetry.ts"
import * as Recording from "../replay/Recording.ts"
import * as Collector from "./Collector.ts"
import * as Exporters from "./Exporters.ts"
import * as Otlp from "./Otlp.ts"
import * as SpanMetrics from "./SpanMetrics.ts"

/** Between two exports of a signal, and at most at the end of the process. */
const timing = { exportInterval: "5 seconds", shutdownTimeout: "3 seconds" } as const

/** Spans or records of one request. */
const maxBatchSize = 1000

/** Where collectors listen by default (OTLP over HTTP). */
const localCollector = "http://localhost:4318"

interface Exporter {
  readonly push: (data: unknown) => void
}

const silent: Exporter = { push: () => {} }

/** What happens to a session's log, on its way to the exporters; an event has the recording that it names. */
type Item =
  | { readonly _tag: "Opened"; readonly session: string; readonly past: ReadonlyArray<SessionEvent> }
  | { readonly _tag: "Stored"; readonly session: string; readonly at: SessionEvent; readonly recording: Uint8Array | undefined }
  | { readonly _tag: "Closed"; readonly session: string }

export const layer = Layer.effect(
  Telemetry,
  Effect.gen(function*() {
    const environment = yield* Environment
    const { variables } = environment
    const content = Exporters.hasContent(variables) ? yield* Effect.flatMap(Redactor, ({ redact }) => redact) : undefined
    const parent = TraceContext.parse(variables["TRACEPARENT"] ?? "")
    const traces = yield* exporter("traces", environment, Otlp.encodeSpans)
    const logs = yield* exporter("logs", environment, Otlp.encodeLogs)
    yield* metrics(environment)

    /** Each session's spans in progress: as of the last stored event, and as of the last exported one. */
    const current = new Map<string, SessionSpans.State>()
    const exported = new Map<string, SessionSpans.State>()
    /** The call that started each subagent. */
    const parents = new Map<string, TraceContext.TraceContext>()

    const initial = (session: string) => {
      const above = parents.get(session) ?? parent
      return SessionSpans.initial({ ...(above === undefined ? {} : { parent: above }), ...(content === undefined ? {} : { content }) })
    }
    const advance = (
      states: Map<string, SessionSpans.State>,
      session: string,
      at: SessionEvent,
      recording?: Parameters<typeof SessionSpans.push>[2]
    ) => {
      const [next, spans] = SessionSpans.push(states.get(session) ?? initial(session), at, recording)
      states.set(session, next)
      for (const [child, span] of next.subagents) parents.set(child, span)
      return spans
    }

    const resume = (states: Map<string, SessionSpans.State>, session: string, past: ReadonlyArray<SessionEvent>) => {
      states.delete(session)
      for (const at of SessionSpans.ownEvents(past)) advance(states, session, at)
    }
    const forget = (states: Map<string, SessionSpans.State>, session: string) => {
      for (const child of states.get(session)?.subagents.keys() ?? []) parents.delete(child)
      states.delete(session)
    }

    const queue = yield* Queue.unbounded<Item, Cause.Done>()
    const send = Effect.fnUntraced(function*(item: Item) {
      if (item._tag === "Opened") return resume(exported, item.session, item.past)
      if (item._tag === "Closed") return forget(exported, item.session)
      const { at, recording, session } = item
      const chunks = recording === undefined ? undefined
        : yield* Effect.orElseSucceed(Recording.decode(session, recording), () => undefined)
      const spans: ReadonlyArray<Span> = advance(exported, session, at, chunks)
      logs.push(LogRecord.of(session, at, exported.get(session)?.open.get("task"), content))
      for (const span of spans) {
        traces.push(span)
        yield* SpanMetrics.update(span)
      }
    })
    const worker = yield* Queue.take(queue).pipe(Effect.flatMap(send), Effect.forever, Effect.ignore, Effect.forkScoped)
    // Before the exporters close, they get what is still waiting.
    yield* Effect.addFinalizer(() => Effect.andThen(Queue.end(queue), Fiber.await(worker)))

    return {
      open: (session, past) => {
        resume(current, session, past)
        Queue.offerUnsafe(queue, { _tag: "Opened", session, past })
      },
      close: (session) => {
        current.delete(session)
        Queue.offerUnsafe(queue, { _tag: "Closed", session })
      },
      record: (session, events, blobs) => {
        for (const at of events) {
          advance(current, session, at)
          Queue.offerUnsafe(queue, { _tag: "Stored", session, at, recording: blobs.get(SessionSpans.recordingOf(at.event) ?? "") })
        }
      },
      spanOf: (session, call) => current.get(session)?.open.get(`tool ${call}`)
    }
  })
).pipe(Layer.provide([Collector.client, OtlpExporter.layerFlusher]))

const collectorOf = (signal: Collector.Signal, { variables }: Environment["Service"]): Collector.Collector | undefined => {
  if (!Exporters.sendsTo(variables, signal)) return undefined
  const collector = Collector.fromVariables(variables, signal) ??
    Collector.fromVariables({ ...variables, OTEL_EXPORTER_OTLP_ENDPOINT: localCollector }, signal)
  return typeof collector === "string" ? undefined : collector
}

/** Sends batches of a signal, if its variables say where to. */
const exporter = <A>(
  signal: "logs" | "traces",
  environment: Environment["Service"],
  encode: (items: ReadonlyArray<A>, environment: Environment["Service"]) => unknown
) =>
  Effect.gen(function*() {
    const collector = collectorOf(signal, environment)
    if (collector === undefined) return silent
    const serialization = yield* Effect.provide(OtlpSerialization.OtlpSerialization, Collector.serialization(collector))
    const serialize = serialization[signal] as (data: unknown) => ReturnType<typeof serialization.traces>
    return yield* OtlpExporter.make({
      ...timing,
      label: signal,
      url: collector.url,
      headers: collector.headers,
      maxBatchSize,
      body: (items: Array<A>) => [serialize(encode(items, environment)), Effect.void]
    })
  })

const metrics = (environment: Environment["Service"]) =>
  Effect.gen(function*() {
    const collector = collectorOf("metrics", environment)
    if (collector === undefined) return
    yield* OtlpMetrics.make({
      ...timing,
      url: collector.url,
      headers: collector.headers,
      resource: Otlp.resource(environment)
    }).pipe(
      Effect.provide(Collector.serialization(collector)),
      // What the resource says comes from the variables that were given, not from those of the process.
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({}))
    )
  })
