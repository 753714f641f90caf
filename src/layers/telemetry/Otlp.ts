/** Spans and log records in the OTLP format, with the resource that the standard variables describe. */
import * as OtlpResource from "effect/observability/OtlpResource"
import type { TraceData } from "effect/observability/OtlpTracer"
import type { LogRecord } from "../../domain/telemetry/LogRecord.ts"
import type { Span } from "../../domain/telemetry/Span.ts"
import type { Environment } from "../../services/Environment.ts"

export type ResourceOptions = Pick<Environment["Service"], "variables" | "version">

const kinds = { internal: 1, client: 3 } as const
const status = { unset: 0, error: 2 } as const

const nanoseconds = (ms: number): string => `${BigInt(Math.round(ms * 1000)) * 1000n}`

const encodeSpan = (span: Span) => ({
  traceId: span.traceId,
  spanId: span.spanId,
  parentSpanId: span.parentSpanId,
  name: span.name,
  kind: kinds[span.kind],
  startTimeUnixNano: nanoseconds(span.startMs),
  endTimeUnixNano: nanoseconds(span.endMs),
  attributes: OtlpResource.entriesToAttributes(Object.entries(span.attributes)),
  droppedAttributesCount: 0,
  events: span.events.map(({ attributes, name, timeMs }) => ({
    name,
    timeUnixNano: nanoseconds(timeMs),
    attributes: OtlpResource.entriesToAttributes(Object.entries(attributes)),
    droppedAttributesCount: 0
  })),
  droppedEventsCount: 0,
  status: { code: "error.type" in span.attributes ? status.error : status.unset },
  links: [],
  droppedLinksCount: 0
})

/** The service, as the standard variables describe it. */
export const resource = ({ variables, version }: ResourceOptions) => {
  const { "service.name": serviceName = "dacapo", ...attributes } = Object.fromEntries(pairs(variables["OTEL_RESOURCE_ATTRIBUTES"]))
  return { serviceName: variables["OTEL_SERVICE_NAME"] || serviceName, serviceVersion: version, attributes }
}

/** The body of one request to a collector. */
export const encodeSpans = (spans: ReadonlyArray<Span>, options: ResourceOptions): TraceData => ({
  resourceSpans: [{
    resource: OtlpResource.make(resource(options)),
    scopeSpans: [{ scope: { name: "dacapo", version: options.version }, spans: spans.map(encodeSpan) }]
  }]
})

const severityNumbers = { INFO: 9, WARN: 13, ERROR: 17 } as const

const encodeRecord = ({ attributes, body, name, severity, spanId, timeMs, traceId }: LogRecord) => ({
  timeUnixNano: nanoseconds(timeMs),
  observedTimeUnixNano: nanoseconds(timeMs),
  severityNumber: severityNumbers[severity],
  severityText: severity,
  eventName: name,
  // Collectors that do not know event names yet look for this attribute.
  attributes: OtlpResource.entriesToAttributes(Object.entries({ ...attributes, "event.name": name })),
  droppedAttributesCount: 0,
  flags: 0,
  ...(body === undefined ? {} : { body: { stringValue: body } }),
  ...(traceId === undefined ? {} : { traceId }),
  ...(spanId === undefined ? {} : { spanId })
})

/** The same for log records. */
export const encodeLogs = (records: ReadonlyArray<LogRecord>, options: ResourceOptions) => ({
  resourceLogs: [{
    resource: OtlpResource.make(resource(options)),
    scopeLogs: [{ scope: { name: "dacapo", version: options.version }, logRecords: records.map(encodeRecord) }]
  }]
})

/** Reads `key=value,key=value` with percent-encoded values, as OTEL variables have it; what is not a pair is left out. */
export const pairs = (text = ""): ReadonlyArray<readonly [string, string]> =>
  text.split(",").flatMap((pair) => {
    const equals = pair.indexOf("=")
    const key = pair.slice(0, Math.max(0, equals)).trim()
    const value = decode(pair.slice(equals + 1).trim())
    return key === "" || value === undefined ? [] : [[key, value] as const]
  })

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
