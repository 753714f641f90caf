/** What Amazon Bedrock rejects in a Converse request, in its words. */
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

const invalid = (name: string, refuses: Rule["refuses"]): Rule => ({ name, status: 400, type: "ValidationException", refuses })

const modelOf = ({ path }: WireRequest, operation: RegExp): string | undefined => {
  const [, id, operationName = ""] = /^\/model\/([^/]+)\/([^/]+)$/.exec(path) ?? []
  return id !== undefined && operation.test(operationName) ? decodeURIComponent(id) : undefined
}

/** What every operation of the service requires: an address, and a known caller. */
export const common = (operation: RegExp): ReadonlyArray<Rule> => [
  {
    name: "path",
    status: 404,
    type: "UnknownOperationException",
    refuses: (request) =>
      request.method === "POST" && modelOf(request, operation) !== undefined ? undefined
        : "The requested operation is not recognized by the service."
  },
  {
    name: "key missing",
    status: 403,
    type: "MissingAuthenticationTokenException",
    refuses: ({ headers }) => headers.authorization ? undefined : "Missing Authentication Token"
  },
  {
    name: "key invalid",
    status: 403,
    type: "UnrecognizedClientException",
    refuses: ({ headers }) =>
      /invalid/.test(headers.authorization ?? "") ? "The security token included in the request is invalid." : undefined
  },
  {
    name: "signature of the request",
    status: 403,
    type: "IncompleteSignatureException",
    refuses: ({ headers: { authorization = "", "x-amz-date": date } }) =>
      /^Bearer \S/.test(authorization) || authorization === "" ||
        (date !== undefined &&
          /^AWS4-HMAC-SHA256 Credential=[^/]+\/\d{8}\/[a-z0-9-]+\/bedrock\/aws4_request, SignedHeaders=[a-z0-9;-]*host[a-z0-9;-]*, Signature=[0-9a-f]{64}$/
            .test(authorization))
        ? undefined
        : "Authorization header requires 'Credential', 'Signature' and 'SignedHeaders' parameters, and 'X-Amz-Date' a value."
  },
  {
    name: "content type",
    status: 415,
    type: "UnsupportedMediaTypeException",
    refuses: ({ headers }) => /^application\/json/.test(headers["content-type"] ?? "") ? undefined : "The content type is not supported."
  },
  {
    name: "JSON",
    status: 400,
    type: "SerializationException",
    refuses: ({ body }) => body === undefined ? "Unexpected token in the request body." : undefined
  },
  invalid(
    "model unknown",
    (request) => /no-such/.test(modelOf(request, operation) ?? "") ? "The provided model identifier is invalid." : undefined
  )
]

const blocksOf = (message: UnknownRecord | undefined): ReadonlyArray<UnknownRecord> => list(message?.content)
const inMessages =
  (f: (message: UnknownRecord, i: number, all: ReadonlyArray<UnknownRecord>) => string | undefined) => (request: WireRequest) =>
    firstMessage(messagesOf(request), (message, i) => f(message, i, messagesOf(request)))
const inBlocks = (f: (block: UnknownRecord, at: string, role: unknown) => string | undefined) =>
  inMessages((message, i) => firstMessage(blocksOf(message), (block, j) => f(block, `messages.${i}.content.${j}`, message.role)))
/** Files in messages, and in results. */
const inFiles = (kind: "image" | "document", f: (file: UnknownRecord, at: string) => string | undefined) =>
  inBlocks((block, at) =>
    firstMessage(
      [block, ...list(record(block.toolResult).content)],
      (inner) => inner[kind] === undefined ? undefined : f(record(inner[kind]), at)
    )
  )

const callIds = (message: UnknownRecord | undefined, kind: "toolUse" | "toolResult"): ReadonlyArray<string> =>
  blocksOf(message).flatMap((block) => block[kind] === undefined ? [] : [String(record(block[kind]).toolUseId)])

const tools = (request: WireRequest): ReadonlyArray<UnknownRecord> => list(record(fields(request).toolConfig).tools)
const inTools = (f: (spec: UnknownRecord, at: string) => string | undefined) => (request: WireRequest) =>
  firstMessage(
    tools(request),
    ({ toolSpec }, i) => toolSpec === undefined ? undefined : f(record(toolSpec), `toolConfig.tools.${i}.toolSpec`)
  )
const limits = (request: WireRequest) => record(fields(request).inferenceConfig)
const thinking = (request: WireRequest) => record(record(fields(request).additionalModelRequestFields).thinking)
const canCache = (request: WireRequest): boolean => /claude|nova/.test(modelOf(request, /./) ?? "")

const cachePointCount = (request: WireRequest): number =>
  [...tools(request), ...list(fields(request).system), ...messagesOf(request).flatMap(blocksOf)].filter(({ cachePoint }) =>
    cachePoint !== undefined
  ).length

const topLevelFields = [
  "messages",
  "system",
  "inferenceConfig",
  "toolConfig",
  "guardrailConfig",
  "additionalModelRequestFields",
  "promptVariables",
  "additionalModelResponseFieldPaths",
  "requestMetadata",
  "performanceConfig",
  "serviceTier",
  "outputConfig"
]
const kinds = [
  "text",
  "image",
  "document",
  "video",
  "toolUse",
  "toolResult",
  "guardContent",
  "cachePoint",
  "reasoningContent",
  "citationsContent"
]
const formats = ["png", "jpeg", "gif", "webp"]
const documents = ["pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"]
const pattern = /^[a-zA-Z0-9_-]{1,64}$/

/** Signatures from this server begin like this; any other is rejected. */
export const signature = "sig_"

export const refusals: ReadonlyArray<Rule> = [
  ...common(/^converse(?:-stream)?$/),
  invalid("extra field", (request) => {
    const extra = Object.keys(fields(request)).find((field) => !topLevelFields.includes(field))
    return extra === undefined ? undefined : `The request holds a field that is not known: ${extra}`
  }),
  invalid(
    "messages empty",
    (request) =>
      messagesOf(request).length === 0 ? "The messages field is empty. Add a Message object to the messages field and try again."
        : undefined
  ),
  invalid(
    "role",
    inMessages(({ role }, i) =>
      role === "user" || role === "assistant" ? undefined
        : `1 validation error detected: Value '${String(role)}' at 'messages.${
          i + 1
        }.member.role' failed to satisfy constraint: Member must satisfy enum value set: [user, assistant]`
    )
  ),
  invalid(
    "first role",
    inMessages(({ role }, i) =>
      i === 0 && role === "assistant"
        ? "A conversation must start with a user message. Try again with a conversation that starts with a user message." : undefined
    )
  ),
  invalid(
    "alternation",
    inMessages(({ role }, i, all) =>
      i > 0 && all[i - 1]?.role === role
        ? "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again."
        : undefined
    )
  ),
  invalid(
    "content empty",
    inMessages((message, i) =>
      blocksOf(message).length === 0
        ? `The content field in the Message object at messages.${i} is empty. Add a ContentBlock object to the content field and try again.`
        : undefined
    )
  ),
  invalid(
    "block kind",
    inBlocks((block, at) =>
      Object.keys(block).length === 1 && kinds.includes(Object.keys(block)[0]!) ? undefined
        : `ContentBlock object at ${at} must set one of the following keys: ${kinds.join(", ")}.`
    )
  ),
  invalid(
    "text blank",
    inBlocks(({ text }, at) =>
      text !== undefined && String(text).trim() === ""
        ? `The text field in the ContentBlock object at ${at} is blank. Add text to the text field, and try again.` : undefined
    )
  ),
  invalid(
    "system blank",
    (request) =>
      list(fields(request).system).some(({ text }) => text !== undefined && String(text).trim() === "")
        ? "The text field in the SystemContentBlock object at system.0 is blank. Add text to the text field, and try again." : undefined
  ),
  invalid(
    "call of the user",
    inBlocks(({ toolUse }, at, role) =>
      toolUse !== undefined && role === "user" ? `The toolUse block at ${at} can only be in an assistant message.` : undefined
    )
  ),
  invalid(
    "result of the assistant",
    inBlocks(({ toolResult }, at, role) =>
      toolResult !== undefined && role === "assistant" ? `The toolResult block at ${at} can only be in a user message.` : undefined
    )
  ),
  invalid(
    "id pattern",
    inBlocks(({ toolUse }, at) =>
      toolUse !== undefined && !pattern.test(String(record(toolUse).toolUseId))
        ? `Value at '${at}.toolUse.toolUseId' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+, and have length less than or equal to 64`
        : undefined
    )
  ),
  invalid(
    "id unique",
    (request) =>
      firstDuplicate(messagesOf(request).flatMap((message) => callIds(message, "toolUse"))) === undefined ? undefined
        : "The toolUse blocks contain duplicate Ids."
  ),
  invalid(
    "call name",
    inBlocks(({ toolUse }, at) =>
      toolUse !== undefined && !pattern.test(String(record(toolUse).name))
        ? `Value at '${at}.toolUse.name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+`
        : undefined
    )
  ),
  invalid(
    "call input",
    inBlocks(({ toolUse }, at) => {
      const { input } = record(toolUse)
      return toolUse !== undefined && (typeof input !== "object" || input === null || Array.isArray(input))
        ? `The format of the value at ${at}.toolUse.input is invalid. Provide a json object for the field and try again.` : undefined
    })
  ),
  invalid(
    "call without result",
    inMessages((message, i, all) => {
      const openIds = callIds(message, "toolUse").filter((id) =>
        message.role === "assistant" && !callIds(all[i + 1], "toolResult").includes(id)
      )
      return openIds.length === 0 ? undefined
        : `Expected toolResult blocks at messages.${i + 1}.content for the following Ids: ${openIds.join(", ")}`
    })
  ),
  invalid(
    "result without call",
    inMessages((message, i, all) => {
      const orphanId = callIds(message, "toolResult").filter((id) =>
        message.role === "user" && !callIds(all[i - 1], "toolUse").includes(id)
      )
      return orphanId.length === 0 ? undefined
        : `The number of toolResult blocks at messages.${i}.content exceeds the number of toolUse blocks of previous turn.`
    })
  ),
  invalid(
    "two results of a call",
    inMessages((message, i) =>
      firstDuplicate(callIds(message, "toolResult")) === undefined ? undefined
        : `The toolResult blocks at messages.${i}.content contain duplicate Ids: ${firstDuplicate(callIds(message, "toolResult"))}`
    )
  ),
  invalid(
    "result empty",
    inBlocks(({ toolResult }, at) =>
      toolResult !== undefined && list(record(toolResult).content).some(({ text }) => text !== undefined && String(text).trim() === "")
        ? `The text field in the ToolResultContentBlock object at ${at} is blank.` : undefined
    )
  ),
  invalid(
    "calls without tools",
    (request) =>
      tools(request).length === 0 && messagesOf(request).some((message) => callIds(message, "toolUse").length > 0)
        ? "The toolConfig field must be defined when using toolUse and toolResult content blocks." : undefined
  ),
  invalid(
    "image format",
    inFiles("image", ({ format }, at) =>
      formats.includes(String(format)) ? undefined
        : `Value '${String(format)}' at '${at}.image.format' failed to satisfy constraint: Member must satisfy enum value set: [${
          formats.join(", ")
        }]`)
  ),
  invalid(
    "image data",
    inFiles("image", ({ source }, at) => isBase64(String(record(source).bytes)) ? undefined : `The image at ${at} could not be decoded.`)
  ),
  invalid(
    "image size",
    inFiles("image", ({ source }, at) =>
      String(record(source).bytes).length > 5_242_880
        ? `The model returned the following errors: ${at}.image.source.base64: image exceeds 5 MB maximum` : undefined)
  ),
  invalid(
    "image side",
    inFiles("image", ({ source }, at) =>
      pngSide(String(record(source).bytes)) > 8000
        ? `The model returned the following errors: ${at}.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels`
        : undefined)
  ),
  invalid(
    "document format",
    inFiles("document", ({ format }, at) =>
      documents.includes(String(format)) ? undefined
        : `Value '${String(format)}' at '${at}.document.format' failed to satisfy constraint: Member must satisfy enum value set: [${
          documents.join(", ")
        }]`)
  ),
  invalid(
    "document name",
    inFiles("document", ({ name }) =>
      /^(?!.*\s{2})[a-zA-Z0-9\s()[\]-]{1,200}$/.test(String(name)) ? undefined
        : "The format of the document name is invalid. The name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets. The name can't contain more than one consecutive whitespace character.")
  ),
  invalid(
    "document names unique",
    (request) =>
      firstDuplicate(
          messagesOf(request).flatMap((message) =>
            blocksOf(message).flatMap(({ document }) => document === undefined ? [] : [String(record(document).name)])
          )
        ) === undefined ? undefined : "Document names must be unique in a request."
  ),
  invalid(
    "document without words",
    inMessages((message, i) =>
      blocksOf(message).some(({ document }) => document !== undefined) && !blocksOf(message).some(({ text }) => text !== undefined)
        ? `The message at messages.${i} holds a document and no text. Add a text block and try again.` : undefined
    )
  ),
  invalid(
    "tools empty",
    (request) =>
      fields(request).toolConfig !== undefined && tools(request).every(({ toolSpec }) => toolSpec === undefined)
        ? "Value '[]' at 'toolConfig.tools' failed to satisfy constraint: Member must have length greater than or equal to 1" : undefined
  ),
  invalid(
    "tool name",
    inTools(({ name }, at) =>
      pattern.test(String(name)) ? undefined
        : `Value '${
          String(name)
        }' at '${at}.name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+`
    )
  ),
  invalid(
    "tool names unique",
    (request) =>
      firstDuplicate(tools(request).flatMap(({ toolSpec }) => toolSpec === undefined ? [] : [String(record(toolSpec).name)])) === undefined
        ? undefined : "The tools in toolConfig must have unique names."
  ),
  invalid(
    "tool description",
    inTools(({ description }, at) =>
      description === ""
        ? `Value '' at '${at}.description' failed to satisfy constraint: Member must have length greater than or equal to 1` : undefined
    )
  ),
  invalid(
    "tool schema",
    inTools(({ inputSchema }, at) =>
      record(record(inputSchema).json).type === "object" ? undefined
        : `The value at ${at}.inputSchema.json.type must be one of the following: object.`
    )
  ),
  invalid(
    "thought's signature",
    inBlocks(({ reasoningContent }, at) => {
      const { reasoningText } = record(reasoningContent)
      return reasoningText !== undefined && !String(record(reasoningText).signature).startsWith(signature)
        ? `The model returned the following errors: ${at}: Invalid \`signature\` in \`thinking\` block` : undefined
    })
  ),
  invalid(
    "thought last",
    inMessages((message, i) =>
      message.role === "assistant" && "reasoningContent" in (blocksOf(message).at(-1) ?? {})
        ? `The model returned the following errors: messages.${i}: The final block in an assistant message cannot be \`thinking\`.`
        : undefined
    )
  ),
  invalid(
    "last role",
    inMessages(({ role }, i, all) =>
      i === all.length - 1 && role === "assistant"
        ? "The model returned the following errors: This model does not support assistant message prefill. The conversation must end with a user message."
        : undefined
    )
  ),
  invalid(
    "cache points",
    (request) =>
      cachePointCount(request) > 4
        ? `The model returned the following errors: A maximum of 4 blocks with cache_control may be provided. Found ${
          cachePointCount(request)
        }.` : undefined
  ),
  {
    name: "cache points of a model without",
    status: 403,
    type: "AccessDeniedException",
    refuses: (request) =>
      cachePointCount(request) > 0 && !canCache(request)
        ? "You invoked an unsupported model or your request did not allow prompt caching. See the documentation for more information."
        : undefined
  },
  invalid("temperature range", (request) => {
    const { temperature = 0 } = limits(request)
    return Number(temperature) >= 0 && Number(temperature) <= 1 ? undefined
      : `Value '${
        String(temperature)
      }' at 'inferenceConfig.temperature' failed to satisfy constraint: Member must have value less than or equal to 1`
  }),
  invalid("limit range", (request) => {
    const { maxTokens = 1 } = limits(request)
    return Number(maxTokens) >= 1 && Number(maxTokens) <= 128_000 ? undefined
      : "The maximum tokens you requested exceeds the model limit of 128000. Try again with a maximum tokens value that is lower than 128000."
  }),
  invalid(
    "temperature while thinking",
    (request) =>
      thinking(request).type === "enabled" && ![undefined, 1].includes(limits(request).temperature as undefined)
        ? "The model returned the following errors: `temperature` may only be set to 1 when thinking is enabled." : undefined
  ),
  invalid("thinking budget", (request) => {
    const budget = Number(thinking(request).budget_tokens ?? 1024)
    return budget >= 1024 && (thinking(request).budget_tokens === undefined || budget < Number(limits(request).maxTokens ?? Infinity))
      ? undefined
      : "The model returned the following errors: `max_tokens` must be greater than `thinking.budget_tokens`, which must be at least 1024."
  }),
  invalid("thinking of the turn", (request) => {
    const [previous, last] = messagesOf(request).slice(-2)
    return thinking(request).type === "enabled" && callIds(last, "toolResult").length > 0 &&
        !("reasoningContent" in (blocksOf(previous)[0] ?? {}))
      ? "The model returned the following errors: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block."
      : undefined
  })
]
