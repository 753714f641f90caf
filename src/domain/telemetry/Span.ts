/** A span as OpenTelemetry defines it, in plain data: an operation with a beginning, an end and attributes. */
import type { TraceContext } from "./TraceContext.ts"

export type AttributeValue = string | number | boolean | ReadonlyArray<string>
export type Attributes = Readonly<Record<string, AttributeValue>>

/** Something that happened during a span; `timeMs` is in ms since the epoch. */
export interface SpanEvent {
  readonly name: string
  readonly timeMs: number
  readonly attributes: Attributes
}

/** An operation in progress. `kind`: the client of another system, or work of our own. Times are in ms since the epoch. */
export interface OpenSpan extends TraceContext {
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: "client" | "internal"
  readonly startMs: number
  readonly attributes: Attributes
  readonly events: ReadonlyArray<SpanEvent>
}

/** A finished operation; it failed if it has the attribute `error.type`. */
export interface Span extends OpenSpan {
  readonly endMs: number
}
