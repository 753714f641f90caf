/** What the Anthropic Messages service rejects, in its words. */
import {
  type WireRequest,
  fields,
  firstMessage,
  list,
  type UnknownRecord,
  messagesOf,
  pngSide,
  record,
  type Rule,
  firstDuplicate,
  isBase64
} from "./Wire.ts"

const invalid = (name: string, refuses: Rule["refuses"]): Rule => ({ name, status: 400, type: "invalid_request_error", refuses })

const blocksOf = (message: UnknownRecord): ReadonlyArray<UnknownRecord> =>
  typeof message.content === "string" ? [{ type: "text", text: message.content }] : list(message.content)

/** Every content block of the messages, including those in results, with its location. */
const everyBlock = (request: WireRequest): ReadonlyArray<{ readonly at: string; readonly role: unknown; readonly block: UnknownRecord }> =>
  messagesOf(request).flatMap((message, i) =>
    blocksOf(message).flatMap((block, j) => [
      { at: `messages.${i}.content.${j}`, role: message.role, block },
      ...(Array.isArray(block.content) ? list(block.content) : []).map((inner, k) => ({
        at: `messages.${i}.content.${j}.content.${k}`,
        role: message.role,
        block: inner
      }))
    ])
  )

const inBlocks = (f: (block: UnknownRecord, at: string, role: unknown) => string | undefined) => (request: WireRequest) =>
  firstMessage(everyBlock(request), ({ at, block, role }) => f(block, at, role))

const idsOf = (message: UnknownRecord | undefined, type: string, field: string): ReadonlyArray<string> =>
  message === undefined ? [] : blocksOf(message).filter((block) => block.type === type).map((block) => String(block[field]))

const tools = (request: WireRequest) => list(fields(request).tools)
const thinking = (request: WireRequest) => record(fields(request).thinking)
const maxTokens = (request: WireRequest) => fields(request).max_tokens

const topLevelFields = new Set([
  "model",
  "max_tokens",
  "messages",
  "system",
  "tools",
  "tool_choice",
  "temperature",
  "top_p",
  "top_k",
  "stop_sequences",
  "stream",
  "metadata",
  "thinking",
  "output_config",
  "service_tier",
  "context_management",
  "container",
  "mcp_servers",
  "speed",
  "cache_control"
])
const blockFields: Readonly<Record<string, ReadonlyArray<string>>> = {
  text: ["type", "text", "cache_control", "citations"],
  image: ["type", "source", "cache_control"],
  document: ["type", "source", "title", "context", "citations", "cache_control"],
  tool_use: ["type", "id", "name", "input", "cache_control"],
  tool_result: ["type", "tool_use_id", "content", "is_error", "cache_control"],
  thinking: ["type", "thinking", "signature"],
  redacted_thinking: ["type", "data"]
}

const media = ["image/jpeg", "image/png", "image/gif", "image/webp"]
const namePattern = /^[a-zA-Z0-9_-]{1,128}$/

/** Signatures from this server begin like this; any other is rejected, as by the real one. */
export const signature = "sig_"

const cacheMarkCount = (request: WireRequest): number => {
  const { system } = fields(request)
  return [...tools(request), ...list(system), ...everyBlock(request).map(({ block }) => block)].filter((block) =>
    block.cache_control !== undefined
  ).length
}

export const refusals: ReadonlyArray<Rule> = [
  {
    name: "path",
    status: 404,
    type: "not_found_error",
    refuses: ({ method, path }) => path === "/v1/messages" && method === "POST" ? undefined : "Not Found"
  },
  {
    name: "key missing",
    status: 401,
    type: "authentication_error",
    refuses: ({ headers }) => headers["x-api-key"] || headers.authorization ? undefined : "x-api-key header is required"
  },
  {
    name: "key invalid",
    status: 401,
    type: "authentication_error",
    refuses: ({ headers }) => /invalid/.test(`${headers["x-api-key"]} ${headers.authorization}`) ? "invalid x-api-key" : undefined
  },
  invalid("version header", ({ headers }) => headers["anthropic-version"] ? undefined : "anthropic-version: header is required"),
  invalid(
    "content type",
    ({ headers }) =>
      /^application\/json/.test(headers["content-type"] ?? "") ? undefined : "Unsupported content type: expected application/json"
  ),
  invalid("JSON", ({ body }) => body === undefined ? "The request body is not valid JSON" : undefined),
  invalid(
    "model required",
    (request) => typeof fields(request).model === "string" && fields(request).model !== "" ? undefined : "model: Field required"
  ),
  {
    name: "model unknown",
    status: 404,
    type: "not_found_error",
    refuses: (request) => /no-such/.test(String(fields(request).model)) ? `model: ${String(fields(request).model)}` : undefined
  },
  invalid("max_tokens required", (request) => maxTokens(request) === undefined ? "max_tokens: Field required" : undefined),
  invalid("max_tokens range", (request) => {
    const tokens = Number(maxTokens(request) ?? 1)
    return tokens >= 1 && tokens <= 128_000 && Number.isInteger(tokens) ? undefined
      : `max_tokens: ${tokens} > 128000, which is the maximum allowed number of output tokens`
  }),
  invalid("extra field", (request) => {
    const extra = Object.keys(fields(request)).find((field) => !topLevelFields.has(field))
    return extra === undefined ? undefined : `${extra}: Extra inputs are not permitted`
  }),
  invalid("messages required", (request) => Array.isArray(fields(request).messages) ? undefined : "messages: Field required"),
  invalid(
    "messages empty",
    (request) =>
      Array.isArray(fields(request).messages) && messagesOf(request).length === 0 ? "messages: at least one message is required" : undefined
  ),
  invalid(
    "role",
    (request) =>
      firstMessage(
        messagesOf(request),
        ({ role }, i) => role === "user" || role === "assistant" ? undefined : `messages.${i}.role: Input should be 'user' or 'assistant'`
      )
  ),
  invalid(
    "first role",
    (request) => messagesOf(request)[0]?.role === "assistant" ? "messages: first message must use the \"user\" role" : undefined
  ),
  invalid(
    "alternation",
    (request) =>
      firstMessage(messagesOf(request), ({ role }, i) =>
        i > 0 && messagesOf(request)[i - 1]?.role === role
          ? `messages: roles must alternate between "user" and "assistant", but found multiple "${String(role)}" roles in a row`
          : undefined)
  ),
  invalid(
    "content empty",
    (request) =>
      firstMessage(
        messagesOf(request),
        (message, i) => blocksOf(message).length === 0 ? `messages.${i}: all messages must have non-empty content` : undefined
      )
  ),
  invalid(
    "block type",
    inBlocks(({ type }, at) =>
      blockFields[String(type)] === undefined
        ? `${at}: Input tag '${String(type)}' found using 'type' does not match any of the expected tags` : undefined
    )
  ),
  invalid(
    "extra field of a block",
    inBlocks((block, at) => {
      const extra = Object.keys(block).find((field) => blockFields[String(block.type)]?.includes(field) === false)
      return extra === undefined ? undefined : `${at}.${extra}: Extra inputs are not permitted`
    })
  ),
  invalid(
    "text empty",
    inBlocks(({ text, type }) => type === "text" && text === "" ? "messages: text content blocks must be non-empty" : undefined)
  ),
  invalid(
    "text blank",
    inBlocks(({ text, type }) =>
      type === "text" && text !== "" && String(text).trim() === "" ? "messages: text content blocks must contain non-whitespace text"
        : undefined
    )
  ),
  invalid(
    "system empty",
    (request) =>
      list(fields(request).system).some(({ text }) => String(text).trim() === "") ? "system: text content blocks must be non-empty"
        : undefined
  ),
  invalid(
    "call in a user message",
    inBlocks(({ type }, at, role) =>
      type === "tool_use" && role === "user" ? `${at}: \`tool_use\` blocks can only be in \`assistant\` messages` : undefined
    )
  ),
  invalid(
    "result in an assistant message",
    inBlocks(({ type }, at, role) =>
      type === "tool_result" && role === "assistant" ? `${at}: \`tool_result\` blocks can only be in \`user\` messages` : undefined
    )
  ),
  invalid(
    "id pattern",
    inBlocks(({ id, type }, at) =>
      type === "tool_use" && !/^[a-zA-Z0-9_-]+$/.test(String(id)) ? `${at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`
        : undefined
    )
  ),
  invalid(
    "id length",
    inBlocks(({ id, type }, at) =>
      type === "tool_use" && String(id).length > 64 ? `${at}.tool_use.id: String should have at most 64 characters` : undefined
    )
  ),
  invalid(
    "id unique",
    (request) =>
      firstDuplicate(messagesOf(request).flatMap((message) => idsOf(message, "tool_use", "id"))) === undefined ? undefined
        : "messages: `tool_use` ids must be unique"
  ),
  invalid(
    "call name",
    inBlocks(({ name, type }, at) =>
      type === "tool_use" && !namePattern.test(String(name)) ? `${at}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`
        : undefined
    )
  ),
  invalid(
    "call input",
    inBlocks(({ input, type }, at) =>
      type === "tool_use" && (typeof input !== "object" || input === null || Array.isArray(input))
        ? `${at}.tool_use.input: Input should be a valid dictionary` : undefined
    )
  ),
  invalid("call without result", (request) =>
    firstMessage(messagesOf(request), (message, i) => {
      const results = idsOf(messagesOf(request)[i + 1], "tool_result", "tool_use_id")
      const openIds = idsOf(message, "tool_use", "id").filter((id) => message.role === "assistant" && !results.includes(id))
      return openIds.length === 0 ? undefined
        : `messages.${i}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${
          openIds.join(", ")
        }. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`
    })),
  invalid("result without call", (request) =>
    firstMessage(messagesOf(request), (message, i) => {
      const calls = idsOf(messagesOf(request)[i - 1], "tool_use", "id")
      const orphanId = idsOf(message, "tool_result", "tool_use_id").find((id) => message.role === "user" && !calls.includes(id))
      return orphanId === undefined ? undefined
        : `messages.${i}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${orphanId}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`
    })),
  invalid("two results of a call", (request) =>
    firstMessage(messagesOf(request), (message, i) => {
      const duplicate = firstDuplicate(idsOf(message, "tool_result", "tool_use_id"))
      return duplicate === undefined ? undefined
        : `messages.${i}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${duplicate}`
    })),
  invalid("results first", (request) =>
    firstMessage(messagesOf(request), (message, i) => {
      const types = blocksOf(message).map(({ type }) => type === "tool_result")
      return message.role === "user" && types.lastIndexOf(true) >= 0 && types.indexOf(false) >= 0 &&
          types.indexOf(false) < types.lastIndexOf(true)
        ? `messages.${i}: \`tool_result\` blocks must come before other content`
        : undefined
    })),
  invalid(
    "image kind",
    inBlocks(({ source, type }, at) =>
      type === "image" && !media.includes(String(record(source).media_type))
        ? `${at}.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'` : undefined
    )
  ),
  invalid(
    "image data",
    inBlocks(({ source, type }, at) =>
      type === "image" && !isBase64(String(record(source).data)) ? `${at}.image.source.base64.data: Invalid base64 data` : undefined
    )
  ),
  invalid(
    "image size",
    inBlocks(({ source, type }, at) =>
      type === "image" && String(record(source).data).length > 5_242_880
        ? `${at}.image.source.base64: image exceeds 5 MB maximum: ${String(record(source).data).length} bytes > 5242880 bytes` : undefined
    )
  ),
  invalid(
    "image side",
    inBlocks(({ source, type }, at) =>
      type === "image" && pngSide(String(record(source).data)) > 8000
        ? `${at}.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels` : undefined
    )
  ),
  invalid(
    "cache marks",
    (request) =>
      cacheMarkCount(request) > 4 ? `A maximum of 4 blocks with cache_control may be provided. Found ${cacheMarkCount(request)}.`
        : undefined
  ),
  invalid(
    "tool name",
    (request) =>
      firstMessage(
        tools(request),
        ({ name }, i) =>
          namePattern.test(String(name)) ? undefined : `tools.${i}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`
      )
  ),
  invalid(
    "tool names unique",
    (request) =>
      firstDuplicate(tools(request).map(({ name }) => String(name))) === undefined ? undefined : "tools: Tool names must be unique."
  ),
  invalid(
    "tool schema",
    (request) =>
      firstMessage(
        tools(request),
        ({ input_schema }, i) =>
          record(input_schema).type === "object" ? undefined : `tools.${i}.custom.input_schema.type: Input should be 'object'`
      )
  ),
  invalid("temperature range", (request) => {
    const { temperature } = fields(request)
    return temperature === undefined || (Number(temperature) >= 0 && Number(temperature) <= 1) ? undefined : "temperature: range: 0..1"
  }),
  invalid(
    "temperature while thinking",
    (request) =>
      thinking(request).type === "enabled" && ![undefined, 1].includes(fields(request).temperature as undefined)
        ? "`temperature` may only be set to 1 when thinking is enabled." : undefined
  ),
  invalid(
    "thinking budget least",
    (request) =>
      Number(thinking(request).budget_tokens ?? 1024) < 1024
        ? "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024" : undefined
  ),
  invalid(
    "thinking budget most",
    (request) =>
      Number(thinking(request).budget_tokens ?? 0) >= Number(maxTokens(request) ?? Infinity)
        ? "`max_tokens` must be greater than `thinking.budget_tokens`." : undefined
  ),
  invalid(
    "thinking signature",
    inBlocks(({ signature: value, type }, at) =>
      type === "thinking" && !String(value).startsWith(signature) ? `${at}: Invalid \`signature\` in \`thinking\` block` : undefined
    )
  ),
  invalid(
    "thinking last",
    (request) =>
      firstMessage(messagesOf(request), (message, i) =>
        /thinking/.test(String(blocksOf(message).at(-1)?.type))
          ? `messages.${i}: The final block in an assistant message cannot be \`thinking\`.` : undefined)
  ),
  invalid("thinking of the turn", (request) => {
    const [previous, last] = messagesOf(request).slice(-2)
    const isInLoop = last !== undefined && idsOf(last, "tool_result", "tool_use_id").length > 0
    const firstType = previous === undefined ? undefined : blocksOf(previous)[0]?.type
    return thinking(request).type === "enabled" && isInLoop && !/thinking/.test(String(firstType))
      ? `messages.${messagesOf(request).length - 2}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${
        String(firstType)
      }\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block`
      : undefined
  }),
  invalid(
    "prefill",
    (request) =>
      messagesOf(request).at(-1)?.role === "assistant"
        ? "This model does not support assistant message prefill. The conversation must end with a user message." : undefined
  )
]
