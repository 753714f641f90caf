/** The Converse wire of Amazon Bedrock, as the service writes it. */
import { refusals, signature } from "./bedrockRules.ts"
import { contentType, event } from "./EventFrames.ts"
import { type ScriptedTurn, type WireRequest, interleave, pieces, type Rule, type Wire } from "./Wire.ts"

const exceptions: Readonly<Record<number, string>> = {
  401: "UnrecognizedClientException",
  403: "AccessDeniedException",
  404: "ResourceNotFoundException",
  408: "ModelTimeoutException",
  424: "ModelErrorException",
  429: "ThrottlingException",
  500: "InternalServerException",
  503: "ServiceUnavailableException"
}

/** The header that names an error of AWS. */
export const errorHeaders = (status: number, rule?: Rule): Readonly<Record<string, string>> => ({
  "x-amzn-errortype": rule?.type ?? exceptions[status] ?? "ValidationException"
})

const stops: Readonly<Record<string, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  refusal: "refusal",
  content_filter: "content_filtered",
  other: "malformed_model_output"
}

const frames = (turn: ScriptedTurn, request: WireRequest): ReadonlyArray<Uint8Array> => {
  const text = [turn.text, turn.xml].filter((text) => text !== undefined).join("\n\n")
  const calls = turn.calls ?? []
  let index = 0
  const block = (deltas: ReadonlyArray<object>, start?: object): ReadonlyArray<Uint8Array> => {
    const contentBlockIndex = index++
    return [
      ...(start === undefined ? [] : [event("contentBlockStart", { contentBlockIndex, start, p: "abc" })]),
      ...deltas.map((delta) => event("contentBlockDelta", { contentBlockIndex, delta, p: "abcdefgh" })),
      event("contentBlockStop", { contentBlockIndex, p: "ab" })
    ]
  }
  const reasoningFrames = turn.reasoning === undefined ? [] : block([
    ...pieces(turn.reasoning).map((text) => ({ reasoningContent: { text } })),
    { reasoningContent: { signature: turn.signature ?? `${signature}${turn.reasoning.length}` } }
  ])
  const textFrames = text === "" ? [] : block(pieces(text, turn.chunkSize).map((text) => ({ text })))
  const callFrames = calls.map(({ id, name, params }, i) =>
    block(pieces(JSON.stringify(params)).map((input) => ({ toolUse: { input } })), {
      toolUse: { toolUseId: id ?? `tooluse_${request.text.length}_${i}`, name }
    })
  )
  const { cacheRead = 0, cacheWrite = 0, input = 10, output = 20 } = turn.usage ?? {}
  return [
    event("messageStart", { role: "assistant", p: "abcd" }),
    ...reasoningFrames,
    ...textFrames,
    ...(turn.interleaved === true ? interleave(callFrames) : callFrames.flat()),
    event("messageStop", { stopReason: stops[turn.stop ?? (calls.length > 0 ? "tool_calls" : "stop")], p: "abcdef" }),
    event("metadata", {
      usage: {
        inputTokens: input,
        outputTokens: output,
        totalTokens: input + output + cacheRead + cacheWrite,
        ...(cacheRead > 0 ? { cacheReadInputTokens: cacheRead } : {}),
        ...(cacheWrite > 0 ? { cacheWriteInputTokens: cacheWrite } : {})
      },
      metrics: { latencyMs: 12 },
      p: "abcdefghij"
    })
  ]
}

export const bedrock: Wire = {
  name: "bedrock-converse",
  refusals,
  contentType,
  error: (_, message) => ({ message }),
  errorHeaders,
  frames
}
