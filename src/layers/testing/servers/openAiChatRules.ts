/** What the OpenAI Chat Completions service rejects, in its words. */
import {
  type WireRequest,
  fields,
  firstMessage,
  list,
  type UnknownRecord,
  messagesOf,
  record,
  type Rule,
  firstDuplicate,
  isImageUrl
} from "./Wire.ts"

const invalid = (name: string, refuses: Rule["refuses"], more: Partial<Rule> = {}): Rule => ({
  name,
  status: 400,
  type: "invalid_request_error",
  ...more,
  refuses
})

const inMessages =
  (f: (message: UnknownRecord, i: number, all: ReadonlyArray<UnknownRecord>) => string | undefined) => (request: WireRequest) =>
    firstMessage(messagesOf(request), (message, i) => f(message, i, messagesOf(request)))

const callsOf = (message: UnknownRecord | undefined): ReadonlyArray<UnknownRecord> => list(message?.tool_calls)

const inCalls = (f: (call: UnknownRecord, at: string) => string | undefined) =>
  inMessages((message, i) => firstMessage(callsOf(message), (call, j) => f(call, `messages[${i}].tool_calls[${j}]`)))

const inParts = (f: (part: UnknownRecord, at: string, role: unknown) => string | undefined) =>
  inMessages((message, i) =>
    Array.isArray(message.content) ? firstMessage(list(message.content), (part, j) => f(part, `messages[${i}].content[${j}]`, message.role))
      : undefined
  )

const tools = (request: WireRequest) => list(fields(request).tools)
const functionOf = (tool: UnknownRecord) => record(tool.function)
const inTools = (f: (tool: UnknownRecord, at: string) => string | undefined) => (request: WireRequest) =>
  firstMessage(tools(request), (tool, i) => f(functionOf(tool), `tools[${i}].function`))

/** Reasoning models reject some of what others accept. */
const isReasoningModel = (request: WireRequest): boolean =>
  /^(?:o\d|gpt-[5-9]|gpt-daybreak|chat-latest)/.test(String(fields(request).model))

/** The tool messages directly after a message. */
const resultIds = (all: ReadonlyArray<UnknownRecord>, i: number): ReadonlyArray<string> => {
  const rest = all.slice(i + 1)
  const end = rest.findIndex(({ role }) => role !== "tool")
  return rest.slice(0, end === -1 ? undefined : end).map(({ tool_call_id }) => String(tool_call_id))
}

/** The assistant message that a tool message answers: the nearest one that is not a tool message. */
const callingMessage = (all: ReadonlyArray<UnknownRecord>, i: number): UnknownRecord | undefined =>
  all.slice(0, i).findLast(({ role }) => role !== "tool")

const topLevelFields = new Set([
  "model",
  "messages",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "max_tokens",
  "max_completion_tokens",
  "temperature",
  "top_p",
  "stream",
  "stream_options",
  "reasoning_effort",
  "prompt_cache_key",
  "stop",
  "seed",
  "n",
  "user",
  "metadata",
  "store",
  "response_format",
  "service_tier",
  "frequency_penalty",
  "presence_penalty",
  "logprobs",
  "top_logprobs",
  "logit_bias",
  "verbosity",
  "modalities",
  "safety_identifier"
])
const roleFields: Readonly<Record<string, ReadonlyArray<string>>> = {
  system: ["role", "content", "name"],
  developer: ["role", "content", "name"],
  user: ["role", "content", "name"],
  assistant: ["role", "content", "name", "tool_calls", "refusal", "audio", "function_call"],
  tool: ["role", "content", "tool_call_id"]
}
const kinds = ["text", "image_url", "input_audio", "refusal", "file"]
const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"]
const pattern = /^[a-zA-Z0-9_-]+$/

export const refusals: ReadonlyArray<Rule> = [
  {
    name: "path",
    status: 404,
    type: "invalid_request_error",
    refuses: ({ method, path }) => path === "/v1/chat/completions" && method === "POST" ? undefined : `Invalid URL (${method} ${path})`
  },
  {
    name: "key missing",
    status: 401,
    type: "invalid_request_error",
    refuses: ({ headers }) =>
      /^Bearer \S/.test(headers.authorization ?? "") ? undefined
        : "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."
  },
  {
    name: "key invalid",
    status: 401,
    type: "invalid_api_key",
    refuses: ({ headers }) =>
      /invalid/.test(headers.authorization ?? "")
        ? "Incorrect API key provided: inv****key. You can find your API key at https://platform.openai.com/account/api-keys." : undefined
  },
  invalid(
    "content type",
    ({ headers }) =>
      /^application\/json/.test(headers["content-type"] ?? "") ? undefined
        : "Unsupported content type. This API method only accepts 'application/json' requests."
  ),
  invalid("JSON", ({ body }) => body === undefined ? "We could not parse the JSON body of your request." : undefined),
  invalid(
    "model required",
    (request) =>
      typeof fields(request).model === "string" && fields(request).model !== "" ? undefined : "you must provide a model parameter"
  ),
  {
    name: "model unknown",
    status: 404,
    type: "model_not_found",
    refuses: (request) =>
      /no-such/.test(String(fields(request).model))
        ? `The model \`${String(fields(request).model)}\` does not exist or you do not have access to it.` : undefined
  },
  invalid("extra field", (request) => {
    const extra = Object.keys(fields(request)).find((field) => !topLevelFields.has(field))
    return extra === undefined ? undefined : `Unrecognized request argument supplied: ${extra}`
  }),
  invalid(
    "messages required",
    (request) => Array.isArray(fields(request).messages) ? undefined : "Missing required parameter: 'messages'.",
    { param: "messages" }
  ),
  invalid(
    "messages empty",
    (request) =>
      Array.isArray(fields(request).messages) && messagesOf(request).length === 0
        ? "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead." : undefined,
    { param: "messages" }
  ),
  invalid(
    "role",
    inMessages(({ role }) =>
      roleFields[String(role)] === undefined
        ? `Invalid value: '${String(role)}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.`
        : undefined
    )
  ),
  invalid(
    "extra field of a message",
    inMessages((message, i) => {
      const extra = Object.keys(message).find((field) => roleFields[String(message.role)]?.includes(field) === false)
      return extra === undefined ? undefined : `Additional properties are not allowed ('${extra}' was unexpected) - 'messages.${i}'`
    })
  ),
  invalid(
    "content null",
    inMessages((message, i) =>
      (message.content === null || message.content === undefined) && callsOf(message).length === 0 &&
        roleFields[String(message.role)] !== undefined
        ? `Invalid value for 'content': expected a string, got null. (messages.[${i}].content)` : undefined
    )
  ),
  invalid(
    "content empty",
    inMessages(({ content }, i) =>
      Array.isArray(content) && content.length === 0
        ? `Invalid 'messages[${i}].content': empty array. Expected an array with minimum length 1, but got an empty array instead.`
        : undefined
    )
  ),
  invalid(
    "part kind",
    inParts(({ type }, at) =>
      kinds.includes(String(type)) ? undefined
        : `Invalid value: '${String(type)}'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal', and 'file'. (${at})`
    )
  ),
  invalid(
    "image outside a user message",
    inParts(({ type }, at, role) =>
      type === "image_url" && role !== "user"
        ? `Invalid '${at}'. Image URLs are only allowed for messages with role 'user', but this message with role '${
          String(role)
        }' contains an image URL.` : undefined
    )
  ),
  invalid(
    "image data",
    inParts(({ image_url, type }) => {
      const url = String(record(image_url).url)
      return type === "image_url" && !/^https?:\/\//.test(url) && !isImageUrl(url)
        ? "You uploaded an unsupported image. Please make sure your image is below 20 MB in size and is of one the following formats: ['png', 'jpeg', 'gif', 'webp']."
        : undefined
    })
  ),
  invalid(
    "calls empty",
    inMessages((message, i) =>
      Array.isArray(message.tool_calls) && message.tool_calls.length === 0
        ? `Invalid 'messages[${i}].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.`
        : undefined
    )
  ),
  invalid(
    "call id required",
    inCalls(({ id }, at) => typeof id === "string" && id !== "" ? undefined : `Missing required parameter: '${at}.id'.`)
  ),
  invalid(
    "call id length",
    inCalls(({ id }, at) =>
      String(id).length > 40
        ? `Invalid '${at}.id': string too long. Expected a string with maximum length 40, but got a string with length ${
          String(id).length
        } instead.` : undefined
    )
  ),
  invalid(
    "call id unique",
    inMessages((message, i) =>
      firstDuplicate(callsOf(message).map(({ id }) => String(id))) === undefined ? undefined
        : `Duplicate tool call id in 'messages[${i}].tool_calls'.`
    )
  ),
  invalid(
    "call name",
    inCalls((call, at) =>
      pattern.test(String(functionOf(call).name)) ? undefined
        : `Invalid '${at}.function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`
    )
  ),
  invalid(
    "call name length",
    inCalls((call, at) =>
      String(functionOf(call).name).length > 64
        ? `Invalid '${at}.function.name': string too long. Expected a string with maximum length 64.` : undefined
    )
  ),
  invalid(
    "call arguments",
    inCalls((call, at) =>
      typeof functionOf(call).arguments === "string" ? undefined
        : `Invalid type for '${at}.function.arguments': expected a string, but got an object instead.`
    )
  ),
  invalid(
    "call without result",
    inMessages((message, i, all) => {
      const resolvedIds = resultIds(all, i)
      const openIds = callsOf(message).map(({ id }) => String(id)).filter((id) => !resolvedIds.includes(id))
      return openIds.length === 0 ? undefined
        : `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${
          openIds.join(", ")
        }`
    }),
    { param: "messages" }
  ),
  invalid(
    "result without calls",
    inMessages((message, i, all) =>
      message.role === "tool" && callsOf(callingMessage(all, i)).length === 0
        ? "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'." : undefined
    ),
    { param: "messages" }
  ),
  invalid(
    "result id required",
    inMessages((message, i) =>
      message.role === "tool" && typeof message.tool_call_id !== "string" ? `Missing required parameter: 'messages[${i}].tool_call_id'.`
        : undefined
    )
  ),
  invalid(
    "result of no call",
    inMessages((message, i, all) => {
      const calls = callsOf(callingMessage(all, i)).map(({ id }) => id)
      return message.role === "tool" && typeof message.tool_call_id === "string" && calls.length > 0 &&
          !calls.includes(message.tool_call_id)
        ? `Invalid parameter: 'tool_call_id' of '${message.tool_call_id}' not found in 'tool_calls' of previous message.`
        : undefined
    })
  ),
  invalid(
    "two results of a call",
    inMessages((_, i, all) => {
      const duplicate = firstDuplicate(resultIds(all, i))
      return callsOf(all[i]).length > 0 && duplicate !== undefined
        ? `Duplicate value for 'tool_call_id' of '${duplicate}' in message[${i + 2}].` : undefined
    })
  ),
  invalid(
    "tools empty",
    (request) =>
      Array.isArray(fields(request).tools) && tools(request).length === 0
        ? "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead." : undefined
  ),
  invalid(
    "tool name",
    inTools(({ name }, at) =>
      pattern.test(String(name)) ? undefined
        : `Invalid '${at}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`
    )
  ),
  invalid(
    "tool name length",
    inTools(({ name }, at) =>
      String(name).length > 64 ? `Invalid '${at}.name': string too long. Expected a string with maximum length 64.` : undefined
    )
  ),
  invalid(
    "tool names unique",
    (request) =>
      firstDuplicate(tools(request).map((tool) => String(functionOf(tool).name))) === undefined ? undefined
        : "Invalid 'tools': tool names must be unique."
  ),
  invalid(
    "tool schema",
    inTools(({ name, parameters }) =>
      record(parameters).type === "object" ? undefined
        : `Invalid schema for function '${String(name)}': schema must be a JSON Schema of 'type: "object"', got 'type: "${
          String(record(parameters).type ?? "None")
        }"'.`
    )
  ),
  invalid("temperature range", (request) => {
    const { temperature } = fields(request)
    return temperature === undefined || (Number(temperature) >= 0 && Number(temperature) <= 2) ? undefined
      : `Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got ${String(temperature)} instead.`
  }),
  invalid(
    "temperature of a model that thinks",
    (request) =>
      isReasoningModel(request) && ![undefined, 1].includes(fields(request).temperature as undefined)
        ? "Unsupported value: 'temperature' does not support this value with this model. Only the default (1) value is supported."
        : undefined
  ),
  invalid(
    "max_tokens of a model that thinks",
    (request) =>
      isReasoningModel(request) && fields(request).max_tokens !== undefined
        ? "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead." : undefined,
    { param: "max_tokens" }
  ),
  invalid(
    "two limits",
    (request) =>
      fields(request).max_tokens !== undefined && fields(request).max_completion_tokens !== undefined
        ? "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported." : undefined
  ),
  invalid(
    "limit range",
    (request) =>
      Number(fields(request).max_completion_tokens ?? fields(request).max_tokens ?? 1) >= 1 ? undefined
        : "Invalid 'max_completion_tokens': integer below minimum value. Expected a value >= 1."
  ),
  invalid(
    "effort",
    (request) =>
      fields(request).reasoning_effort === undefined || efforts.includes(String(fields(request).reasoning_effort)) ? undefined
        : `Invalid value: '${
          String(fields(request).reasoning_effort)
        }'. Supported values are: 'none', 'minimal', 'low', 'medium', 'high', 'xhigh' and 'max'.`
  ),
  invalid(
    "effort of a model that does not think",
    (request) =>
      fields(request).reasoning_effort !== undefined && /^gpt-4/.test(String(fields(request).model))
        ? "Unrecognized request argument supplied: reasoning_effort" : undefined
  ),
  invalid(
    "stream options",
    (request) =>
      fields(request).stream_options !== undefined && fields(request).stream !== true
        ? "The 'stream_options' parameter is only allowed when 'stream' is enabled." : undefined
  )
]
