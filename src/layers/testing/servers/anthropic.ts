/** The Anthropic Messages wire, as a server writes it. */
import { refusals, signature } from "./anthropicRules.ts"
import { type ScriptedTurn, type WireRequest, fields, interleave, pieces, type Wire } from "./Wire.ts"

const frame = (event: { readonly type: string; readonly [field: string]: unknown }): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

const types: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error"
}

const block = (index: number, start: object, deltas: ReadonlyArray<object>): ReadonlyArray<string> => [
  frame({ type: "content_block_start", index, content_block: start }),
  ...deltas.map((delta) => frame({ type: "content_block_delta", index, delta })),
  frame({ type: "content_block_stop", index })
]

const stops: Readonly<Record<string, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  refusal: "refusal",
  content_filter: "refusal",
  other: "pause_turn"
}

const frames = (turn: ScriptedTurn, request: WireRequest): ReadonlyArray<string> => {
  const text = [turn.text, turn.xml].filter((text) => text !== undefined).join("\n\n")
  const calls = turn.calls ?? []
  const blocks: Array<ReadonlyArray<string>> = []
  if (turn.reasoning !== undefined) {
    const deltas = pieces(turn.reasoning).map((thinking) => ({ type: "thinking_delta", thinking }))
    blocks.push(
      block(0, { type: "thinking", thinking: "", signature: "" }, [...deltas, {
        type: "signature_delta",
        signature: turn.signature ?? `${signature}${turn.reasoning.length}`
      }])
    )
  }
  if (text !== "")
    blocks.push(
      block(blocks.length, { type: "text", text: "" }, pieces(text, turn.chunkSize).map((text) => ({ type: "text_delta", text })))
    )
  const blockCount = blocks.length
  const callBlocks = calls.map(({ id, name, params }, i) =>
    block(blockCount + i, { type: "tool_use", id: id ?? `toolu_${request.text.length}_${i}`, name, input: {} }, [
      { type: "input_json_delta", partial_json: "" },
      ...pieces(JSON.stringify(params)).map((partial_json) => ({ type: "input_json_delta", partial_json }))
    ])
  )
  const { cacheRead = 0, cacheWrite = 0, input = 10, output = 20, reasoning = 0 } = turn.usage ?? {}
  const usage = { input_tokens: input, cache_read_input_tokens: cacheRead, cache_creation_input_tokens: cacheWrite, output_tokens: 1 }
  return [
    frame({
      type: "message_start",
      message: {
        id: `msg_${request.text.length}`,
        type: "message",
        role: "assistant",
        model: fields(request).model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage
      }
    }),
    frame({ type: "ping" }),
    ...blocks.flat(),
    ...(turn.interleaved === true ? interleave(callBlocks) : callBlocks.flat()),
    frame({
      type: "message_delta",
      delta: { stop_reason: stops[turn.stop ?? (calls.length > 0 ? "tool_calls" : "stop")], stop_sequence: null },
      usage: { output_tokens: output, ...(reasoning > 0 ? { output_tokens_details: { thinking_tokens: reasoning } } : {}) }
    }),
    frame({ type: "message_stop" })
  ]
}

export const anthropic: Wire = {
  name: "anthropic-messages",
  refusals,
  error: (status, message, rule) => ({
    type: "error",
    error: { type: rule?.type ?? types[status] ?? (status >= 500 ? "api_error" : "invalid_request_error"), message },
    request_id: "req_scripted"
  }),
  frames
}
