/** The OpenAI Responses wire, as a server writes it. */
import { refusals, encryptedPrefix } from "./openAiResponsesRules.ts"
import { type ScriptedTurn, type WireRequest, fields, interleave, pieces, type Wire } from "./Wire.ts"

type Event = { readonly type: string; readonly [field: string]: unknown }

const frames = (turn: ScriptedTurn, request: WireRequest): ReadonlyArray<string> => {
  const response = {
    id: `resp_${request.text.length}`,
    object: "response",
    created_at: 0,
    model: fields(request).model,
    output: [],
    error: null,
    incomplete_details: null
  }
  const text = [turn.text, turn.xml].filter((text) => text !== undefined).join("\n\n")
  const calls = turn.calls ?? []
  let outputIndex = 0
  const outputEvents: Array<ReadonlyArray<Event>> = []
  if (turn.reasoning !== undefined) {
    const at = { item_id: "rs_1", output_index: outputIndex, summary_index: 0 }
    outputEvents.push([
      { type: "response.output_item.added", output_index: outputIndex, item: { type: "reasoning", id: "rs_1", summary: [] } },
      { type: "response.reasoning_summary_part.added", ...at, part: { type: "summary_text", text: "" } },
      ...pieces(turn.reasoning).map((delta) => ({ type: "response.reasoning_summary_text.delta", ...at, delta })),
      { type: "response.reasoning_summary_text.done", ...at, text: turn.reasoning },
      {
        type: "response.output_item.done",
        output_index: outputIndex,
        item: {
          type: "reasoning",
          id: "rs_1",
          summary: [{ type: "summary_text", text: turn.reasoning }],
          encrypted_content: `${encryptedPrefix}${turn.reasoning.length}`
        }
      }
    ])
    outputIndex++
  }
  if (text !== "") {
    const isRefusal = turn.stop === "refusal"
    const at = { item_id: "msg_1", output_index: outputIndex, content_index: 0 }
    outputEvents.push([
      {
        type: "response.output_item.added",
        output_index: outputIndex,
        item: { type: "message", id: "msg_1", role: "assistant", status: "in_progress", content: [] }
      },
      { type: "response.content_part.added", ...at, part: { type: "output_text", text: "", annotations: [] } },
      ...pieces(text, turn.chunkSize).map((delta) => ({
        type: isRefusal ? "response.refusal.delta" : "response.output_text.delta",
        ...at,
        delta
      })),
      {
        type: "response.output_item.done",
        output_index: outputIndex,
        item: {
          type: "message",
          id: "msg_1",
          role: "assistant",
          status: "completed",
          content: [{ type: isRefusal ? "refusal" : "output_text", [isRefusal ? "refusal" : "text"]: text }]
        }
      }
    ])
    outputIndex++
  }
  const callEvents = calls.map(({ id, name, params }, i): ReadonlyArray<Event> => {
    const item = { type: "function_call", id: `fc_${i}`, call_id: id ?? `call_${request.text.length}_${i}`, name }
    const at = { item_id: item.id, output_index: outputIndex + i }
    return [
      { type: "response.output_item.added", output_index: outputIndex + i, item: { ...item, arguments: "" } },
      ...pieces(JSON.stringify(params)).map((delta) => ({ type: "response.function_call_arguments.delta", ...at, delta })),
      { type: "response.function_call_arguments.done", ...at, arguments: JSON.stringify(params) },
      { type: "response.output_item.done", output_index: outputIndex + i, item: { ...item, arguments: JSON.stringify(params) } }
    ]
  })
  const { cacheRead = 0, cacheWrite = 0, input = 10, output = 20, reasoning = 0 } = turn.usage ?? {}
  const usage = {
    input_tokens: input + cacheRead + cacheWrite,
    input_tokens_details: { cached_tokens: cacheRead, ...(cacheWrite > 0 ? { cache_write_tokens: cacheWrite } : {}) },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + cacheRead + cacheWrite + output
  }
  const incompleteReason = { length: "max_output_tokens", content_filter: "content_filter" }[String(turn.stop)]
  const events: ReadonlyArray<Event> = [
    { type: "response.created", response: { ...response, status: "in_progress" } },
    { type: "response.in_progress", response: { ...response, status: "in_progress" } },
    ...outputEvents.flat(),
    ...(turn.interleaved === true ? interleave(callEvents) : callEvents.flat()),
    incompleteReason === undefined
      ? { type: "response.completed", response: { ...response, status: "completed", usage } }
      : {
        type: "response.incomplete",
        response: { ...response, status: "incomplete", incomplete_details: { reason: incompleteReason }, usage }
      }
  ]
  return events.map((event, i) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: i })}\n\n`)
}

export const openAiResponses: Wire = {
  name: "openai-responses",
  refusals,
  error: (status, message, rule) => ({
    error: {
      message,
      type: rule?.type ?? (status >= 500 ? "server_error" : "invalid_request_error"),
      param: rule?.param ?? null,
      code: rule?.type ?? null
    }
  }),
  frames
}
