/** What the OpenAI Responses service rejects, in its words. */
import { type WireRequest, fields, firstMessage, list, type UnknownRecord, record, type Rule, firstDuplicate, isImageUrl } from "./Wire.ts"

const invalid = (name: string, refuses: Rule["refuses"], more: Partial<Rule> = {}): Rule => ({
  name,
  status: 400,
  type: "invalid_request_error",
  ...more,
  refuses
})

const items = (request: WireRequest): ReadonlyArray<UnknownRecord> => list(fields(request).input)
const typeOf = (item: UnknownRecord): string => String(item.type ?? (item.role === undefined ? undefined : "message"))
const inItems = (f: (item: UnknownRecord, i: number, all: ReadonlyArray<UnknownRecord>) => string | undefined) => (request: WireRequest) =>
  firstMessage(items(request), (item, i) => f(item, i, items(request)))
const ofType = (type: string, f: (item: UnknownRecord, at: string, i: number, all: ReadonlyArray<UnknownRecord>) => string | undefined) =>
  inItems((item, i, all) => typeOf(item) === type ? f(item, `input[${i}]`, i, all) : undefined)
const inParts = (f: (part: UnknownRecord, at: string, role: unknown) => string | undefined) =>
  ofType(
    "message",
    (item, at) =>
      Array.isArray(item.content) ? firstMessage(list(item.content), (part, j) => f(part, `${at}.content[${j}]`, item.role)) : undefined
  )
const tools = (request: WireRequest) => list(fields(request).tools)
const inTools = (f: (tool: UnknownRecord, at: string) => string | undefined) => (request: WireRequest) =>
  firstMessage(tools(request), (tool, i) => f(tool, `tools[${i}]`))
const isReasoningModel = (request: WireRequest): boolean =>
  /^(?:o\d|gpt-[5-9]|gpt-daybreak|chat-latest)/.test(String(fields(request).model))
const idsOf = (all: ReadonlyArray<UnknownRecord>, type: string) =>
  all.filter((item) => typeOf(item) === type).map(({ call_id }) => String(call_id))

const topLevelFields = new Set([
  "model",
  "input",
  "instructions",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "max_output_tokens",
  "max_tool_calls",
  "temperature",
  "top_p",
  "reasoning",
  "include",
  "store",
  "stream",
  "stream_options",
  "prompt_cache_key",
  "prompt_cache_retention",
  "previous_response_id",
  "conversation",
  "metadata",
  "text",
  "truncation",
  "service_tier",
  "safety_identifier",
  "user",
  "background",
  "top_logprobs",
  "prompt"
])
const itemTypes = ["message", "function_call", "function_call_output", "reasoning", "item_reference", "compaction"]
const roles = ["user", "assistant", "system", "developer"]
const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"]
const pattern = /^[a-zA-Z0-9_-]+$/

/** Reasoning sealed by this server begins like this; any other can't be verified. */
export const encryptedPrefix = "enc_"

export const refusals: ReadonlyArray<Rule> = [
  {
    name: "path",
    status: 404,
    refuses: ({ method, path }) => path === "/v1/responses" && method === "POST" ? undefined : `Invalid URL (${method} ${path})`
  },
  {
    name: "key missing",
    status: 401,
    refuses: ({ headers }) => /^Bearer \S/.test(headers.authorization ?? "") ? undefined : "Missing bearer authentication in header"
  },
  {
    name: "key invalid",
    status: 401,
    type: "invalid_api_key",
    refuses: ({ headers }) => /invalid/.test(headers.authorization ?? "") ? "Incorrect API key provided: inv****key." : undefined
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
      typeof fields(request).model === "string" && fields(request).model !== "" ? undefined : "Missing required parameter: 'model'."
  ),
  {
    name: "model unknown",
    status: 404,
    type: "model_not_found",
    refuses: (request) =>
      /no-such/.test(String(fields(request).model)) ? `The requested model '${String(fields(request).model)}' does not exist.` : undefined
  },
  invalid("extra field", (request) => {
    const extra = Object.keys(fields(request)).find((field) => !topLevelFields.has(field))
    return extra === undefined ? undefined : `Unknown parameter: '${extra}'.`
  }),
  invalid("input required", (request) => fields(request).input === undefined ? "Missing required parameter: 'input'." : undefined),
  invalid(
    "input empty",
    (request) =>
      Array.isArray(fields(request).input) && items(request).length === 0
        ? "Invalid 'input': empty array. Expected an array with minimum length 1, but got an empty array instead." : undefined
  ),
  invalid(
    "item type",
    inItems((item, i) =>
      itemTypes.includes(typeOf(item)) ? undefined
        : `Invalid value: '${
          typeOf(item)
        }'. Supported values are: 'message', 'function_call', 'function_call_output', 'reasoning'. (input[${i}])`
    )
  ),
  invalid(
    "role",
    ofType("message", ({ role }, at) =>
      roles.includes(String(role)) ? undefined
        : `Invalid value: '${String(role)}'. Supported values are: 'assistant', 'system', 'developer', and 'user'. (${at}.role)`)
  ),
  invalid(
    "content empty",
    ofType("message", ({ content }, at) =>
      Array.isArray(content) && content.length === 0
        ? `Invalid '${at}.content': empty array. Expected an array with minimum length 1, but got an empty array instead.` : undefined)
  ),
  invalid(
    "part of the user",
    inParts(({ type }, at, role) =>
      role === "user" && !["input_text", "input_image", "input_file"].includes(String(type))
        ? `Invalid value: '${String(type)}'. Supported values are: 'input_text', 'input_image', and 'input_file'. (${at})` : undefined
    )
  ),
  invalid(
    "part of the assistant",
    inParts(({ type }, at, role) =>
      role === "assistant" && !["output_text", "refusal"].includes(String(type))
        ? `Invalid value: '${String(type)}'. Supported values are: 'output_text' and 'refusal'. (${at})` : undefined
    )
  ),
  invalid(
    "image data",
    inParts(({ image_url, type }) =>
      type === "input_image" && !/^https?:\/\//.test(String(image_url)) &&
        !isImageUrl(String(image_url))
        ? "Invalid 'input[0].content[1].image_url'. Expected a valid URL, but got a value with an invalid format." : undefined
    )
  ),
  invalid(
    "call id length",
    inItems(({ call_id }, i) =>
      String(call_id ?? "").length > 64
        ? `Invalid 'input[${i}].call_id': string too long. Expected a string with maximum length 64, but got a string with length ${
          String(call_id).length
        } instead.` : undefined
    )
  ),
  invalid(
    "call id required",
    inItems((item, i) =>
      /^function_call/.test(typeOf(item)) && !item.call_id ? `Missing required parameter: 'input[${i}].call_id'.` : undefined
    )
  ),
  invalid(
    "call id unique",
    (request) => firstDuplicate(idsOf(items(request), "function_call")) === undefined ? undefined : "Duplicate function call ids in input."
  ),
  invalid(
    "call name",
    ofType("function_call", ({ name }, at) =>
      pattern.test(String(name)) && String(name).length <= 64 ? undefined
        : `Invalid '${at}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`)
  ),
  invalid(
    "call arguments",
    ofType(
      "function_call",
      (item, at) =>
        typeof item.arguments === "string" ? undefined : `Invalid type for '${at}.arguments': expected a string, but got an object instead.`
    )
  ),
  invalid(
    "call without result",
    ofType("function_call", ({ call_id }, _, i, all) =>
      idsOf(all.slice(i), "function_call_output").includes(String(call_id)) ? undefined
        : `No tool output found for function call ${String(call_id)}.`)
  ),
  invalid(
    "result without call",
    ofType("function_call_output", ({ call_id }, _, i, all) =>
      idsOf(all.slice(0, i), "function_call").includes(String(call_id)) ? undefined
        : `No tool call found for function call output with call_id ${String(call_id)}.`)
  ),
  invalid(
    "two results of a call",
    (request) =>
      firstDuplicate(idsOf(items(request), "function_call_output")) === undefined ? undefined : "Duplicate function call outputs in input."
  ),
  invalid(
    "result output",
    ofType(
      "function_call_output",
      ({ output }, at) =>
        typeof output === "string" || (Array.isArray(output) && list(output).every(({ type }) => /^input_/.test(String(type)))) ?
          undefined : `Invalid type for '${at}.output': expected one of a string or array of content parts.`
    )
  ),
  invalid(
    "thought of another",
    ofType("reasoning", ({ encrypted_content }) =>
      typeof encrypted_content === "string" && !encrypted_content.startsWith(encryptedPrefix)
        ? "The encrypted content could not be verified. Reason: Encrypted content could not be decrypted or parsed." : undefined)
  ),
  invalid(
    "thought summary",
    ofType("reasoning", ({ summary }, at) => Array.isArray(summary) ? undefined : `Missing required parameter: '${at}.summary'.`)
  ),
  invalid(
    "tool name",
    inTools(({ name }, at) =>
      pattern.test(String(name)) && String(name).length <= 64 ? undefined
        : `Invalid '${at}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`
    )
  ),
  invalid(
    "tool names unique",
    (request) =>
      firstDuplicate(tools(request).map(({ name }) => String(name))) === undefined ? undefined
        : "Invalid 'tools': tool names must be unique."
  ),
  invalid(
    "tool schema",
    inTools(({ name, parameters }) =>
      record(parameters).type === "object" ? undefined
        : `Invalid schema for function '${String(name)}': schema must be a JSON Schema of 'type: "object"', got 'type: "None"'.`
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
      isReasoningModel(request) && fields(request).temperature !== undefined
        ? "Unsupported parameter: 'temperature' is not supported with this model." : undefined,
    { param: "temperature" }
  ),
  invalid(
    "limit range",
    (request) =>
      Number(fields(request).max_output_tokens ?? 16) >= 16 ? undefined
        : `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${
          String(fields(request).max_output_tokens)
        } instead.`
  ),
  invalid(
    "effort",
    (request) =>
      efforts.includes(String(record(fields(request).reasoning).effort ?? "low")) ? undefined
        : `Invalid value: '${
          String(record(fields(request).reasoning).effort)
        }'. Supported values are: 'none', 'minimal', 'low', 'medium', 'high', 'xhigh' and 'max'.`
  ),
  invalid(
    "thought of a model that does not think",
    (request) =>
      fields(request).reasoning !== undefined && !isReasoningModel(request)
        ? "Unsupported parameter: 'reasoning.effort' is not supported with this model." : undefined,
    { param: "reasoning.effort" }
  )
]
