/** The OpenAI Chat Completions wire, as a server writes it. */
import { refusals } from "./openAiChatRules.ts"
import { type ScriptedTurn, type WireRequest, fields, interleave, pieces, record, type Wire } from "./Wire.ts"

const stops: Readonly<Record<string, string>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool_calls",
  refusal: "stop",
  content_filter: "content_filter",
  other: "other"
}

const frames = (turn: ScriptedTurn, request: WireRequest): ReadonlyArray<string> => {
  const head = { id: `chatcmpl-${request.text.length}`, object: "chat.completion.chunk", created: 0, model: fields(request).model }
  const withUsage = record(fields(request).stream_options).include_usage === true
  const frame = (rest: object) =>
    `data: ${JSON.stringify({ ...head, ...rest, ...(withUsage && !("usage" in rest) ? { usage: null } : {}) })}\n\n`
  const choice = (delta: object, finish_reason: string | null = null, rest: object = {}) =>
    frame({ choices: [{ index: 0, delta, logprobs: null, finish_reason }], ...rest })
  const text = [turn.text, turn.xml].filter((text) => text !== undefined).join("\n\n")
  const calls = turn.calls ?? []
  const callFrames = calls.map(({ id, name, params }, index) => [
    choice({
      tool_calls: [{ index, id: id ?? `call_${request.text.length}_${index}`, type: "function", function: { name, arguments: "" } }]
    }),
    ...pieces(JSON.stringify(params)).map((text) => choice({ tool_calls: [{ index, function: { arguments: text } }] }))
  ])
  const { cacheRead = 0, cacheWrite = 0, input = 10, output = 20, reasoning = 0 } = turn.usage ?? {}
  const prompt = input + cacheRead + cacheWrite
  const usage = {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cacheRead, ...(cacheWrite > 0 ? { cache_write_tokens: cacheWrite } : {}) },
    completion_tokens_details: { reasoning_tokens: reasoning }
  }
  const textFrames = turn.stop === "refusal" ? pieces(text, turn.chunkSize).map((refusal) => choice({ refusal }))
    : pieces(text).map((content) => choice({ content }))
  return [
    choice({ role: "assistant", content: calls.length > 0 && text === "" ? null : "", refusal: null }),
    ...pieces(turn.reasoning ?? "").map((reasoning_content) => choice({ reasoning_content })),
    ...textFrames,
    ...(turn.interleaved === true ? interleave(callFrames) : callFrames.flat()),
    // Without a request for usage, it comes with the last choice, as some servers send it.
    choice({}, stops[turn.stop ?? (calls.length > 0 ? "tool_calls" : "stop")] ?? "stop", withUsage ? {} : { usage }),
    ...(withUsage ? [frame({ choices: [], usage })] : []),
    "data: [DONE]\n\n"
  ]
}

export const openAiChat: Wire = {
  name: "openai-chat",
  refusals,
  error: (status, message, rule) => ({
    error: {
      message,
      type: rule?.type ?? (status >= 500 ? "server_error" : status === 429 ? "rate_limit_exceeded" : "invalid_request_error"),
      param: rule?.param ?? null,
      code: rule?.type ?? null
    }
  }),
  frames
}
