/** The identity of a span, and how W3C Trace Context writes it (`TRACEPARENT`). */

/** Lower-case hex: 32 digits of the trace, 16 of the span. */
export interface TraceContext {
  readonly traceId: string
  readonly spanId: string
}

/**
 * The identity of a span that an event of a log opens, from the event's hash: the same log always gives the same spans, and no two
 * logs share one. Without a parent it begins a trace.
 */
export const fromHash = (hash: string, parent: TraceContext | undefined): TraceContext => ({
  traceId: parent?.traceId ?? hash.slice(0, 32),
  spanId: hash.slice(32, 48)
})

const valid = /^(?!ff)[0-9a-f]{2}-(?<traceId>(?!0{32})[0-9a-f]{32})-(?<spanId>(?!0{16})[0-9a-f]{16})-[0-9a-f]{2}(?:-|$)/

/** A `traceparent` value, of a span that is recorded. */
export const format = ({ spanId, traceId }: TraceContext): string => `00-${traceId}-${spanId}-01`

/** Reads a `traceparent` value; undefined if it is not valid. */
export const parse = (text: string): TraceContext | undefined => {
  const { spanId, traceId } = valid.exec(text.trim())?.groups ?? {}
  return spanId === undefined || traceId === undefined ? undefined : { traceId, spanId }
}
