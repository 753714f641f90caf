/** Which signals a running session exports: the standard `OTEL_*` variables of the process alone decide. */
import type { Environment } from "../../services/Environment.ts"
import type { Signal } from "./Collector.ts"

type Variables = Environment["Service"]["variables"]

/** `OTEL_TRACES_EXPORTER` and the like are lists; without one nothing is exported while a session runs. */
const listed = (variables: Variables, signal: Signal, exporter: string): boolean =>
  (variables[`OTEL_${signal.toUpperCase()}_EXPORTER`] ?? "").split(",").some((name) => name.trim() === exporter)

export const sendsTo = (variables: Variables, signal: Signal): boolean =>
  variables["OTEL_SDK_DISABLED"]?.toLowerCase() !== "true" && listed(variables, signal, "otlp")

/** A server offers its metrics to Prometheus. */
export const hasPrometheus = (variables: Variables): boolean =>
  variables["OTEL_SDK_DISABLED"]?.toLowerCase() !== "true" && listed(variables, "metrics", "prometheus")

export const isOn = (variables: Variables): boolean =>
  hasPrometheus(variables) || (["traces", "metrics", "logs"] as const).some((signal) => sendsTo(variables, signal))

/** Prompts, responses, arguments and results are exported too: the switch of the conventions for generative AI. */
export const hasContent = (variables: Variables): boolean =>
  variables["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"]?.toLowerCase() === "true"
