/** What the Anthropic Messages service refuses, in its words. */
import { type Asked, fields, first, list, type Loose, messagesOf, pngSide, record, type Rule, twice } from "./Wire.ts"

const invalid = (name: string, refuses: Rule["refuses"]): Rule => ({ name, status: 400, type: "invalid_request_error", refuses })

const blocksOf = (message: Loose): ReadonlyArray<Loose> =>
  typeof message.content === "string" ? [{ type: "text", text: message.content }] : list(message.content)

/** Every content block of the messages, results' own included, with its place. */
const everyBlock = (asked: Asked): ReadonlyArray<{ readonly at: string; readonly role: unknown; readonly block: Loose }> =>
  messagesOf(asked).flatMap((message, i) =>
    blocksOf(message).flatMap((block, j) => [
      { at: `messages.${i}.content.${j}`, role: message.role, block },
      ...(Array.isArray(block.content) ? list(block.content) : []).map((inner, k) => ({ at: `messages.${i}.content.${j}.content.${k}`, role: message.role, block: inner }))
    ])
  )

const inBlocks = (f: (block: Loose, at: string, role: unknown) => string | undefined) => (asked: Asked) =>
  first(everyBlock(asked), ({ at, block, role }) => f(block, at, role))

const idsOf = (message: Loose | undefined, type: string, field: string): ReadonlyArray<string> =>
  message === undefined ? [] : blocksOf(message).filter((block) => block.type === type).map((block) => String(block[field]))

const tools = (asked: Asked) => list(fields(asked).tools)
const thinking = (asked: Asked) => record(fields(asked).thinking)
const maxTokens = (asked: Asked) => fields(asked).max_tokens

const top = new Set(["model", "max_tokens", "messages", "system", "tools", "tool_choice", "temperature", "top_p", "top_k", "stop_sequences", "stream", "metadata", "thinking", "output_config", "service_tier", "context_management", "container", "mcp_servers", "speed", "cache_control"])
const known: Readonly<Record<string, ReadonlyArray<string>>> = {
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
const base64 = /^[A-Za-z0-9+/]+={0,2}$/

/** Signatures that this server would have written begin like this; another's are refused, as the real one does. */
export const signature = "sig_"

const marks = (asked: Asked): number => {
  const { system } = fields(asked)
  return [...tools(asked), ...list(system), ...everyBlock(asked).map(({ block }) => block)].filter((block) => block.cache_control !== undefined).length
}

export const refusals: ReadonlyArray<Rule> = [
  { name: "path", status: 404, type: "not_found_error", refuses: ({ method, path }) => path === "/v1/messages" && method === "POST" ? undefined : "Not Found" },
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
  invalid("content type", ({ headers }) => /^application\/json/.test(headers["content-type"] ?? "") ? undefined : "Unsupported content type: expected application/json"),
  invalid("JSON", ({ body }) => body === undefined ? "The request body is not valid JSON" : undefined),
  invalid("model required", (asked) => typeof fields(asked).model === "string" && fields(asked).model !== "" ? undefined : "model: Field required"),
  { name: "model unknown", status: 404, type: "not_found_error", refuses: (asked) => /no-such/.test(String(fields(asked).model)) ? `model: ${String(fields(asked).model)}` : undefined },
  invalid("max_tokens required", (asked) => maxTokens(asked) === undefined ? "max_tokens: Field required" : undefined),
  invalid("max_tokens range", (asked) => {
    const tokens = Number(maxTokens(asked) ?? 1)
    return tokens >= 1 && tokens <= 128_000 && Number.isInteger(tokens) ? undefined : `max_tokens: ${tokens} > 128000, which is the maximum allowed number of output tokens`
  }),
  invalid("extra field", (asked) => {
    const extra = Object.keys(fields(asked)).find((field) => !top.has(field))
    return extra === undefined ? undefined : `${extra}: Extra inputs are not permitted`
  }),
  invalid("messages required", (asked) => Array.isArray(fields(asked).messages) ? undefined : "messages: Field required"),
  invalid("messages empty", (asked) => Array.isArray(fields(asked).messages) && messagesOf(asked).length === 0 ? "messages: at least one message is required" : undefined),
  invalid("role", (asked) => first(messagesOf(asked), ({ role }, i) => role === "user" || role === "assistant" ? undefined : `messages.${i}.role: Input should be 'user' or 'assistant'`)),
  invalid("first role", (asked) => messagesOf(asked)[0]?.role === "assistant" ? "messages: first message must use the \"user\" role" : undefined),
  invalid("alternation", (asked) =>
    first(messagesOf(asked), ({ role }, i) => i > 0 && messagesOf(asked)[i - 1]?.role === role ? `messages: roles must alternate between "user" and "assistant", but found multiple "${String(role)}" roles in a row` : undefined)),
  invalid("content empty", (asked) => first(messagesOf(asked), (message, i) => blocksOf(message).length === 0 ? `messages.${i}: all messages must have non-empty content` : undefined)),
  invalid("block type", inBlocks(({ type }, at) => known[String(type)] === undefined ? `${at}: Input tag '${String(type)}' found using 'type' does not match any of the expected tags` : undefined)),
  invalid("extra field of a block", inBlocks((block, at) => {
    const extra = Object.keys(block).find((field) => known[String(block.type)]?.includes(field) === false)
    return extra === undefined ? undefined : `${at}.${extra}: Extra inputs are not permitted`
  })),
  invalid("text empty", inBlocks(({ text, type }) => type === "text" && text === "" ? "messages: text content blocks must be non-empty" : undefined)),
  invalid("text blank", inBlocks(({ text, type }) => type === "text" && text !== "" && String(text).trim() === "" ? "messages: text content blocks must contain non-whitespace text" : undefined)),
  invalid("system empty", (asked) => list(fields(asked).system).some(({ text }) => String(text).trim() === "") ? "system: text content blocks must be non-empty" : undefined),
  invalid("call in a user message", inBlocks(({ type }, at, role) => type === "tool_use" && role === "user" ? `${at}: \`tool_use\` blocks can only be in \`assistant\` messages` : undefined)),
  invalid("result in an assistant message", inBlocks(({ type }, at, role) => type === "tool_result" && role === "assistant" ? `${at}: \`tool_result\` blocks can only be in \`user\` messages` : undefined)),
  invalid("id pattern", inBlocks(({ id, type }, at) => type === "tool_use" && !/^[a-zA-Z0-9_-]+$/.test(String(id)) ? `${at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'` : undefined)),
  invalid("id length", inBlocks(({ id, type }, at) => type === "tool_use" && String(id).length > 64 ? `${at}.tool_use.id: String should have at most 64 characters` : undefined)),
  invalid("id unique", (asked) => twice(messagesOf(asked).flatMap((message) => idsOf(message, "tool_use", "id"))) === undefined ? undefined : "messages: `tool_use` ids must be unique"),
  invalid("call name", inBlocks(({ name, type }, at) => type === "tool_use" && !namePattern.test(String(name)) ? `${at}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'` : undefined)),
  invalid("call input", inBlocks(({ input, type }, at) => type === "tool_use" && (typeof input !== "object" || input === null || Array.isArray(input)) ? `${at}.tool_use.input: Input should be a valid dictionary` : undefined)),
  invalid("call without result", (asked) =>
    first(messagesOf(asked), (message, i) => {
      const results = idsOf(messagesOf(asked)[i + 1], "tool_result", "tool_use_id")
      const open = idsOf(message, "tool_use", "id").filter((id) => message.role === "assistant" && !results.includes(id))
      return open.length === 0 ? undefined : `messages.${i}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`
    })),
  invalid("result without call", (asked) =>
    first(messagesOf(asked), (message, i) => {
      const calls = idsOf(messagesOf(asked)[i - 1], "tool_use", "id")
      const lost = idsOf(message, "tool_result", "tool_use_id").find((id) => message.role === "user" && !calls.includes(id))
      return lost === undefined ? undefined : `messages.${i}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${lost}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`
    })),
  invalid("two results of a call", (asked) =>
    first(messagesOf(asked), (message, i) => {
      const double = twice(idsOf(message, "tool_result", "tool_use_id"))
      return double === undefined ? undefined : `messages.${i}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${double}`
    })),
  invalid("results first", (asked) =>
    first(messagesOf(asked), (message, i) => {
      const types = blocksOf(message).map(({ type }) => type === "tool_result")
      return message.role === "user" && types.lastIndexOf(true) >= 0 && types.indexOf(false) >= 0 && types.indexOf(false) < types.lastIndexOf(true)
        ? `messages.${i}: \`tool_result\` blocks must come before other content`
        : undefined
    })),
  invalid("image kind", inBlocks(({ source, type }, at) => type === "image" && !media.includes(String(record(source).media_type)) ? `${at}.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'` : undefined)),
  invalid("image data", inBlocks(({ source, type }, at) => type === "image" && !base64.test(String(record(source).data)) ? `${at}.image.source.base64.data: Invalid base64 data` : undefined)),
  invalid("image size", inBlocks(({ source, type }, at) => type === "image" && String(record(source).data).length > 5_242_880 ? `${at}.image.source.base64: image exceeds 5 MB maximum: ${String(record(source).data).length} bytes > 5242880 bytes` : undefined)),
  invalid("image side", inBlocks(({ source, type }, at) => type === "image" && pngSide(String(record(source).data)) > 8000 ? `${at}.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels` : undefined)),
  invalid("cache marks", (asked) => marks(asked) > 4 ? `A maximum of 4 blocks with cache_control may be provided. Found ${marks(asked)}.` : undefined),
  invalid("tool name", (asked) => first(tools(asked), ({ name }, i) => namePattern.test(String(name)) ? undefined : `tools.${i}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`)),
  invalid("tool names unique", (asked) => twice(tools(asked).map(({ name }) => String(name))) === undefined ? undefined : "tools: Tool names must be unique."),
  invalid("tool schema", (asked) => first(tools(asked), ({ input_schema }, i) => record(input_schema).type === "object" ? undefined : `tools.${i}.custom.input_schema.type: Input should be 'object'`)),
  invalid("temperature range", (asked) => {
    const { temperature } = fields(asked)
    return temperature === undefined || (Number(temperature) >= 0 && Number(temperature) <= 1) ? undefined : "temperature: range: 0..1"
  }),
  invalid("temperature while thinking", (asked) => thinking(asked).type === "enabled" && ![undefined, 1].includes(fields(asked).temperature as undefined) ? "`temperature` may only be set to 1 when thinking is enabled." : undefined),
  invalid("thinking budget least", (asked) => Number(thinking(asked).budget_tokens ?? 1024) < 1024 ? "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024" : undefined),
  invalid("thinking budget most", (asked) => Number(thinking(asked).budget_tokens ?? 0) >= Number(maxTokens(asked) ?? Infinity) ? "`max_tokens` must be greater than `thinking.budget_tokens`." : undefined),
  invalid("thinking signature", inBlocks(({ signature: given, type }, at) => type === "thinking" && !String(given).startsWith(signature) ? `${at}: Invalid \`signature\` in \`thinking\` block` : undefined)),
  invalid("thinking last", (asked) =>
    first(messagesOf(asked), (message, i) => /thinking/.test(String(blocksOf(message).at(-1)?.type)) ? `messages.${i}: The final block in an assistant message cannot be \`thinking\`.` : undefined)),
  invalid("thinking of the turn", (asked) => {
    const [before, last] = messagesOf(asked).slice(-2)
    const inLoop = last !== undefined && idsOf(last, "tool_result", "tool_use_id").length > 0
    const found = before === undefined ? undefined : blocksOf(before)[0]?.type
    return thinking(asked).type === "enabled" && inLoop && !/thinking/.test(String(found))
      ? `messages.${messagesOf(asked).length - 2}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(found)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block`
      : undefined
  }),
  invalid("prefill", (asked) => messagesOf(asked).at(-1)?.role === "assistant" ? "This model does not support assistant message prefill. The conversation must end with a user message." : undefined)
]
