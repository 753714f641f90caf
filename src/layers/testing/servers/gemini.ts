/** The Gemini wire, as a server writes it: at the Gemini API by key, on Vertex AI by token. */
import { optional } from "../../../domain/Optional.ts"
import { refusals, signature } from "./geminiRules.ts"
import { type ScriptedTurn, type WireRequest, pieces, type Wire } from "./Wire.ts"

const states: Readonly<Record<number, string>> = {
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE"
}

/** The service has no stop reason for a refusal by the model itself: its text is like any other. */
const stops: Readonly<Record<string, string>> = {
  length: "MAX_TOKENS",
  content_filter: "SAFETY",
  refusal: "PROHIBITED_CONTENT",
  other: "OTHER"
}

const frames = (turn: ScriptedTurn, request: WireRequest): ReadonlyArray<string> => {
  const [, model = ""] = /models\/([^:]+)/.exec(request.path) ?? []
  const { cacheRead = 0, cacheWrite = 0, input = 10, output = 20, reasoning = 0 } = turn.usage ?? {}
  const prompt = input + cacheRead + cacheWrite
  const usage = (outputTokens: number) => ({
    promptTokenCount: prompt,
    candidatesTokenCount: outputTokens,
    totalTokenCount: prompt + outputTokens + reasoning,
    ...(cacheRead > 0 ? { cachedContentTokenCount: cacheRead } : {}),
    ...(reasoning > 0 ? { thoughtsTokenCount: reasoning } : {})
  })
  const frame = (parts: ReadonlyArray<object>, outputTokens: number, overrides: object = {}) =>
    `data: ${
      JSON.stringify({
        candidates: [{ content: { parts, role: "model" }, ...overrides, index: 0 }],
        usageMetadata: usage(outputTokens),
        modelVersion: model,
        responseId: `resp-${request.text.length}`
      })
    }\r\n\r\n`
  const text = [turn.text, turn.xml].filter((text) => text !== undefined).join("\n\n")
  const signaturePart = turn.reasoning === undefined ? {} : { thoughtSignature: turn.signature ?? `${signature}${turn.reasoning.length}` }
  // Calls arrive complete, one per frame; of several only the first is signed.
  const calls = (turn.calls ?? []).map(({ id, name, params }, i) =>
    frame([{ functionCall: { ...optional({ id }), name, args: params }, ...(i === 0 ? signaturePart : {}) }], 0)
  )
  const last = calls.length > 0 || text === "" ? {} : signaturePart
  return [
    ...pieces(turn.reasoning ?? "").map((text) => frame([{ text, thought: true }], 0)),
    ...pieces(text, turn.chunkSize).map((text) => frame([{ text }], 0)),
    ...calls,
    frame([{ text: "", ...last }], output - reasoning, { finishReason: stops[String(turn.stop)] ?? "STOP" })
  ]
}

export const gemini: Wire = {
  name: "gemini",
  refusals,
  stopReasons: { refusal: "content_filter" },
  error: (status, message, rule) => ({
    error: {
      code: status,
      message,
      status: states[status] ?? "INVALID_ARGUMENT",
      ...(rule?.type === undefined ? {}
        : { details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: rule.type, domain: "googleapis.com" }] })
    }
  }),
  frames
}
