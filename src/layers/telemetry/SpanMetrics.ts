/**
 * Metrics of finished spans, by the semantic conventions for generative AI, v0.1.0: token usage, duration, time to first chunk; what
 * these do not name begins with `dacapo.`.
 */
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type { AttributeValue, Span } from "../../domain/telemetry/Span.ts"

/** The bucket boundaries that the conventions advise: powers of 4 from 1 for tokens, doubles of 10 ms for seconds. */
const tokenBoundaries = Array.from({ length: 14 }, (_, i) => 4 ** i)
const secondBoundaries = Array.from({ length: 14 }, (_, i) => 0.01 * 2 ** i)

const seconds = (name: string, description: string) =>
  Metric.histogram(name, { description, boundaries: secondBoundaries, attributes: { unit: "s" } })

const tokens = Metric.histogram("gen_ai.client.token.usage", {
  description: "Tokens of a request",
  boundaries: tokenBoundaries,
  attributes: { unit: "{token}" }
})
const duration = seconds("gen_ai.client.operation.duration", "Duration of requests, tool calls and tasks")
const firstChunk = seconds("gen_ai.client.operation.time_to_first_chunk", "Time to the first chunk of a response")
const cost = Metric.counter("dacapo.cost", {
  description: "Cost of requests with a known price",
  attributes: { unit: "USD" },
  incremental: true
})
const retries = Metric.counter("dacapo.request.retries", { description: "Failed attempts of requests", incremental: true })

const shared = [
  "gen_ai.operation.name",
  "gen_ai.provider.name",
  "gen_ai.request.model",
  "gen_ai.tool.name",
  "gen_ai.agent.name",
  "error.type"
]

/** What tells one series from another: nothing of a single session. */
const labels = ({ attributes }: Span): Record<string, string> =>
  Object.fromEntries(shared.flatMap((name) => attributes[name] === undefined ? [] : [[name, String(attributes[name])]]))

const number = (value: AttributeValue | undefined): number | undefined => typeof value === "number" ? value : undefined

export const update = Effect.fnUntraced(function*(span: Span) {
  const attributes = labels(span)
  yield* Metric.update(Metric.withAttributes(duration, attributes), (span.endMs - span.startMs) / 1000)
  if (span.attributes["gen_ai.operation.name"] !== "chat") return
  for (const [type, name] of [["input", "gen_ai.usage.input_tokens"], ["output", "gen_ai.usage.output_tokens"]] as const) {
    const count = number(span.attributes[name])
    if (count !== undefined) yield* Metric.update(Metric.withAttributes(tokens, { ...attributes, "gen_ai.token.type": type }), count)
  }
  const first = number(span.attributes["gen_ai.response.time_to_first_chunk"])
  if (first !== undefined) yield* Metric.update(Metric.withAttributes(firstChunk, attributes), first)
  const spent = number(span.attributes["dacapo.usage.cost"])
  if (spent !== undefined) yield* Metric.update(Metric.withAttributes(cost, attributes), spent)
  const failed = number(span.attributes["dacapo.request.retries"])
  if (failed !== undefined) yield* Metric.update(Metric.withAttributes(retries, attributes), failed)
})
