/** Each row of the servers' refusal tables, shown to refuse by a request that breaks just it. */
import { assert, describe, it } from "@effect/vitest"
import { anthropic } from "../../../src/layers/testing/servers/anthropic.ts"
import { anthropicBedrock, anthropicVertex } from "../../../src/layers/testing/servers/anthropicHosted.ts"
import { bedrock } from "../../../src/layers/testing/servers/bedrock.ts"
import { gemini } from "../../../src/layers/testing/servers/gemini.ts"
import { openAiChat } from "../../../src/layers/testing/servers/openAiChat.ts"
import { openAiResponses } from "../../../src/layers/testing/servers/openAiResponses.ts"
import { type WireRequest, refusal, type Wire } from "../../../src/layers/testing/servers/Wire.ts"

/** A request under construction, to be broken anywhere. */
type Json = any
const noJson = "{ not json"
type Break = (body: Json, asked: { method: string; path: string; headers: Record<string, string> }) => unknown

const png = "iVBORw0KGgo="
/** The head of a PNG of 9000 pixels. */
const long = "iVBORw0KGgoAAAANSUhEUgAAIygAAAAQCAYAAAA="
const claude = () => ({
  model: "claude-sonnet-4-5",
  max_tokens: 4096,
  system: [{ type: "text", text: "Be brief." }],
  tools: [{ name: "read", description: "Reads.", input_schema: { type: "object", properties: {} } }],
  messages: [
    { role: "user", content: [{ type: "text", text: "Hi" }, { type: "image", source: { type: "base64", media_type: "image/png", data: png } }] },
    { role: "assistant", content: [{ type: "thinking", thinking: "Hm", signature: "sig_1" }, { type: "text", text: "Reading" }, { type: "tool_use", id: "a", name: "read", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "ok" }] }, { type: "text", text: "And?" }] }
  ],
  thinking: { type: "enabled", budget_tokens: 2048 },
  stream: true
})

const mark = { cache_control: { type: "ephemeral" } }

const ofAnthropic: Record<string, Break> = {
  path: (_, asked) => asked.path = "/v1/complete",
  "key missing": (_, asked) => delete asked.headers["x-api-key"],
  "key invalid": (_, asked) => asked.headers["x-api-key"] = "invalid",
  "version header": (_, asked) => delete asked.headers["anthropic-version"],
  "content type": (_, asked) => asked.headers["content-type"] = "text/plain",
  JSON: () => noJson,
  "model required": (body) => delete body.model,
  "model unknown": (body) => body.model = "no-such-model",
  "max_tokens required": (body) => delete body.max_tokens,
  "max_tokens range": (body) => body.max_tokens = 1_000_000,
  "extra field": (body) => body.foo = 1,
  "messages required": (body) => delete body.messages,
  "messages empty": (body) => body.messages = [],
  role: (body) => body.messages[0].role = "system",
  "first role": (body) => body.messages.unshift({ role: "assistant", content: "Hello" }),
  alternation: (body) => body.messages.splice(1, 0, { role: "user", content: "Again" }),
  "content empty": (body) => body.messages[0].content = [],
  "block type": (body) => body.messages[0].content.push({ type: "video" }),
  "extra field of a block": (body) => body.messages[0].content[0].foo = 1,
  "text empty": (body) => body.messages[0].content[0].text = "",
  "text blank": (body) => body.messages[0].content[0].text = " \n",
  "system empty": (body) => body.system[0].text = "",
  "call in a user message": (body) => body.messages[0].content.push({ type: "tool_use", id: "u", name: "read", input: {} }),
  "result in an assistant message": (body) => body.messages[1].content.splice(1, 0, { type: "tool_result", tool_use_id: "zz", content: "x" }),
  "id pattern": (body) => {
    body.messages[1].content[2].id = "a b"
    body.messages[2].content[0].tool_use_id = "a b"
  },
  "id length": (body) => {
    body.messages[1].content[2].id = "a".repeat(65)
    body.messages[2].content[0].tool_use_id = "a".repeat(65)
  },
  "id unique": (body) => body.messages[1].content.push({ ...body.messages[1].content[2] }),
  "call name": (body) => body.messages[1].content[2].name = "read file",
  "call input": (body) => body.messages[1].content[2].input = "{}",
  "call without result": (body) => body.messages[1].content.push({ type: "tool_use", id: "b", name: "read", input: {} }),
  "result without call": (body) => body.messages[2].content.unshift({ type: "tool_result", tool_use_id: "zz", content: "x" }),
  "two results of a call": (body) => body.messages[2].content.unshift({ ...body.messages[2].content[0] }),
  "results first": (body) => body.messages[2].content.reverse(),
  "image kind": (body) => body.messages[0].content[1].source.media_type = "image/tiff",
  "image data": (body) => body.messages[0].content[1].source.data = "%%%",
  "image size": (body) => body.messages[0].content[1].source.data = "A".repeat(5_242_884),
  "image side": (body) => body.messages[0].content[1].source.data = long,
  "cache marks": (body) => {
    body.system.push({ type: "text", text: "More", ...mark })
    Object.assign(body.system[0], mark)
    Object.assign(body.tools[0], mark)
    Object.assign(body.messages[0].content[0], mark)
    Object.assign(body.messages[2].content[0], mark)
  },
  "tool name": (body) => body.tools[0].name = "read file",
  "tool names unique": (body) => body.tools.push({ ...body.tools[0] }),
  "tool schema": (body) => body.tools[0].input_schema = { properties: {} },
  "temperature range": (body) => {
    delete body.thinking
    body.temperature = 1.5
  },
  "temperature while thinking": (body) => body.temperature = 0.5,
  "thinking budget least": (body) => body.thinking.budget_tokens = 100,
  "thinking budget most": (body) => body.thinking.budget_tokens = 4096,
  "thinking signature": (body) => body.messages[1].content[0].signature = "of another",
  "thinking last": (body) => body.messages.push({ role: "assistant", content: [{ type: "text", text: "So" }, { type: "thinking", thinking: "?", signature: "sig_2" }] }, { role: "user", content: "Go on" }),
  "thinking of the turn": (body) => body.messages[1].content.shift(),
  prefill: (body) => body.messages.push({ role: "assistant", content: "The answer is" })
}

/** Houses of others take the same body without the model, and ask for a version in it. */
const hosted = (version: string) => () => {
  const { model: _, stream: __, ...body } = claude()
  return { anthropic_version: version, ...body }
}
const inside = Object.fromEntries(
  Object.entries(ofAnthropic).filter(([name]) => !["path", "key missing", "key invalid", "version header", "content type", "JSON", "model required", "model unknown"].includes(name))
)
const extraModel: Record<string, Break> = { ...inside, "extra field": (body) => body.model = "claude-sonnet-4-5" }

const ofVertex: Record<string, Break> = {
  path: (_, asked) => asked.path = "/v1/messages",
  token: (_, asked) => delete asked.headers.authorization,
  "content type": (_, asked) => asked.headers["content-type"] = "text/plain",
  JSON: () => noJson,
  "model unknown": (_, asked) => asked.path = asked.path.replace("claude-sonnet-4-5", "no-such"),
  version: (body) => body.anthropic_version = "bedrock-2023-05-31",
  ...extraModel
}

const ofAws: Record<string, Break> = {
  path: (_, asked) => asked.path = "/model/claude-sonnet-4-5/invoke",
  "key missing": (_, asked) => delete asked.headers.authorization,
  "key invalid": (_, asked) => asked.headers.authorization = "Bearer invalid",
  "signature of the request": (_, asked) => asked.headers.authorization = "AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=00",
  "content type": (_, asked) => asked.headers["content-type"] = "text/plain",
  JSON: () => noJson,
  "model unknown": (_, asked) => asked.path = asked.path.replace("claude-sonnet-4-5", "no-such-claude")
}

const ofAnthropicBedrock: Record<string, Break> = {
  ...ofAws,
  version: (body) => delete body.anthropic_version,
  ...inside,
  "extra field": (body) => body.stream = true
}

const converse = () => ({
  messages: [
    { role: "user", content: [{ text: "Hi" }, { image: { format: "png", source: { bytes: png } } }, { document: { format: "pdf", name: "a", source: { bytes: png } } }] },
    { role: "assistant", content: [{ reasoningContent: { reasoningText: { text: "Hm", signature: "sig_1" } } }, { text: "Reading" }, { toolUse: { toolUseId: "a", name: "read", input: {} } }] },
    { role: "user", content: [{ toolResult: { toolUseId: "a", content: [{ text: "ok" }] } }, { text: "And?" }, { cachePoint: { type: "default" } }] }
  ],
  system: [{ text: "Be brief." }, { cachePoint: { type: "default" } }],
  toolConfig: { tools: [{ toolSpec: { name: "read", description: "Reads.", inputSchema: { json: { type: "object", properties: {} } } } }, { cachePoint: { type: "default" } }] },
  inferenceConfig: { maxTokens: 4096 },
  additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 2048 } }
})

const ofBedrock: Record<string, Break> = {
  ...ofAws,
  "extra field": (body) => body.stream = true,
  "messages empty": (body) => body.messages = [],
  role: (body) => body.messages[0].role = "system",
  "first role": (body) => body.messages.unshift({ role: "assistant", content: [{ text: "Hello" }] }),
  alternation: (body) => body.messages.splice(1, 0, { role: "user", content: [{ text: "Again" }] }),
  "content empty": (body) => body.messages[0].content = [],
  "block kind": (body) => body.messages[0].content.push({ thinking: "?" }),
  "text blank": (body) => body.messages[0].content[0].text = " ",
  "system blank": (body) => body.system[0].text = "",
  "call of the user": (body) => body.messages[0].content.push({ toolUse: { toolUseId: "u", name: "read", input: {} } }),
  "result of the assistant": (body) => body.messages[1].content.splice(1, 0, { toolResult: { toolUseId: "zz", content: [{ text: "x" }] } }),
  "id pattern": (body) => {
    body.messages[1].content[2].toolUse.toolUseId = "a b"
    body.messages[2].content[0].toolResult.toolUseId = "a b"
  },
  "id unique": (body) => body.messages[1].content.push({ ...body.messages[1].content[2] }),
  "call name": (body) => body.messages[1].content[2].toolUse.name = "read file",
  "call input": (body) => body.messages[1].content[2].toolUse.input = "{}",
  "call without result": (body) => body.messages[1].content.push({ toolUse: { toolUseId: "b", name: "read", input: {} } }),
  "result without call": (body) => body.messages[2].content.unshift({ toolResult: { toolUseId: "zz", content: [{ text: "x" }] } }),
  "two results of a call": (body) => body.messages[2].content.unshift({ ...body.messages[2].content[0] }),
  "result empty": (body) => body.messages[2].content[0].toolResult.content[0].text = "",
  "calls without tools": (body) => delete body.toolConfig,
  "image format": (body) => body.messages[0].content[1].image.format = "tiff",
  "image data": (body) => body.messages[0].content[1].image.source.bytes = "%%%",
  "image size": (body) => body.messages[0].content[1].image.source.bytes = "A".repeat(5_242_884),
  "image side": (body) => body.messages[0].content[1].image.source.bytes = long,
  "document format": (body) => body.messages[0].content[2].document.format = "zip",
  "document name": (body) => body.messages[0].content[2].document.name = "a.pdf",
  "document names unique": (body) => body.messages[0].content.push({ ...body.messages[0].content[2] }),
  "document without words": (body) => body.messages[0].content.shift(),
  "tools empty": (body) => {
    body.toolConfig.tools.shift()
    body.messages.splice(1, 2)
  },
  "tool name": (body) => body.toolConfig.tools[0].toolSpec.name = "read file",
  "tool names unique": (body) => body.toolConfig.tools.push({ ...body.toolConfig.tools[0] }),
  "tool description": (body) => body.toolConfig.tools[0].toolSpec.description = "",
  "tool schema": (body) => body.toolConfig.tools[0].toolSpec.inputSchema.json = {},
  "thought's signature": (body) => body.messages[1].content[0].reasoningContent.reasoningText.signature = "of another",
  "thought last": (body) => body.messages.push({ role: "assistant", content: [{ text: "So" }, { reasoningContent: { reasoningText: { text: "?", signature: "sig_2" } } }] }, { role: "user", content: [{ text: "Go on" }] }),
  "last role": (body) => body.messages.push({ role: "assistant", content: [{ text: "The answer is" }] }),
  "cache points": (body) => {
    body.messages[0].content.push({ cachePoint: { type: "default" } })
    body.messages[1].content.push({ cachePoint: { type: "default" } })
  },
  "cache points of a model without": (_, asked) => asked.path = asked.path.replace("claude-sonnet-4-5", "deepseek.v3-v1"),
  "temperature range": (body) => {
    delete body.additionalModelRequestFields
    body.inferenceConfig.temperature = 1.5
  },
  "limit range": (body) => body.inferenceConfig.maxTokens = 1_000_000,
  "temperature while thinking": (body) => body.inferenceConfig.temperature = 0.5,
  "thinking budget": (body) => body.additionalModelRequestFields.thinking.budget_tokens = 4096,
  "thinking of the turn": (body) => body.messages[1].content.shift()
}

const generate = () => ({
  contents: [
    { role: "user", parts: [{ text: "Hi" }, { inlineData: { mimeType: "image/png", data: png } }] },
    { role: "model", parts: [{ text: "Reading" }, { functionCall: { id: "a", name: "read", args: {} }, thoughtSignature: "sig_1" }] },
    { role: "user", parts: [{ functionResponse: { id: "a", name: "read", response: { output: "ok" } } }, { text: "And?" }] }
  ],
  systemInstruction: { parts: [{ text: "Be brief." }] },
  tools: [{ functionDeclarations: [{ name: "read", description: "Reads.", parameters: { type: "object", properties: { path: { type: "string" }, at: { type: "array", items: { type: "integer" } } }, required: ["path"] } }] }],
  generationConfig: { maxOutputTokens: 1000, temperature: 1, thinkingConfig: { includeThoughts: true, thinkingLevel: "low" } }
})

const parameters = (body: Json) => body.tools[0].functionDeclarations[0].parameters

const ofGemini: Record<string, Break> = {
  path: (_, asked) => asked.path = "/v1beta/models",
  "key missing": (_, asked) => delete asked.headers["x-goog-api-key"],
  "key invalid": (_, asked) => asked.headers["x-goog-api-key"] = "invalid",
  token: (_, asked) => asked.path = "/v1/projects/p/locations/global/publishers/google/models/gemini-3-flash-preview:streamGenerateContent",
  "content type": (_, asked) => asked.headers["content-type"] = "text/plain",
  JSON: () => noJson,
  "model unknown": (_, asked) => asked.path = asked.path.replace("flash-preview", "no-such"),
  "extra field": (body) => body.stream = true,
  "contents required": (body) => delete body.contents,
  role: (body) => body.contents[0].role = "assistant",
  "parts empty": (body) => body.contents[2].parts.length = 0,
  "extra field of a part": (body) => body.contents[0].parts[0].type = "text",
  "text empty": (body) => body.contents[0].parts[0].text = "",
  "system empty": (body) => body.systemInstruction.parts = [],
  "call of the user": (body) => body.contents[0].parts.push({ functionCall: { name: "read", args: {} }, thoughtSignature: "sig_1" }),
  "result of the model": (body) => body.contents[1].parts.push({ functionResponse: { name: "read", response: {} } }),
  "first role": (body) => body.contents.unshift({ role: "model", parts: [{ text: "Hello" }] }),
  "last role": (body) => body.contents.push({ role: "model", parts: [{ text: "The answer is" }] }),
  "calls before the user": (body) => body.contents.splice(1, 0, { role: "model", parts: [{ text: "Well" }] }),
  "result without calls": (body) => body.contents.push({ role: "user", parts: [{ functionResponse: { id: "a", name: "read", response: {} } }] }),
  "as many results as calls": (body) => body.contents[1].parts.push({ functionCall: { id: "b", name: "read", args: {} } }),
  "result names its call": (body) => body.contents[2].parts[0].functionResponse.id = "b",
  "call ids unique": (body) => {
    body.contents[1].parts.push({ ...body.contents[1].parts[1] })
    body.contents[2].parts.unshift({ ...body.contents[2].parts[0] })
  },
  "call name": (body) => {
    body.contents[1].parts[1].functionCall.name = "read file"
    body.contents[2].parts[0].functionResponse.name = "read file"
  },
  "call args": (body) => body.contents[1].parts[1].functionCall.args = "{}",
  "result response": (body) => body.contents[2].parts[0].functionResponse.response = "ok",
  "file kind": (body) => body.contents[0].parts[1].inlineData.mimeType = "image/tiff",
  "file data": (body) => body.contents[0].parts[1].inlineData.data = "%%%",
  signature: (body) => body.contents[1].parts[1].thoughtSignature = "of another",
  "signature missing": (body) => delete body.contents[1].parts[1].thoughtSignature,
  "tool name": (body) => body.tools[0].functionDeclarations[0].name = "7 read",
  "tool names unique": (body) => body.tools[0].functionDeclarations.push({ ...body.tools[0].functionDeclarations[0] }),
  "extra field of a tool": (body) => body.tools[0].functionDeclarations[0].strict = true,
  "schema type": (body) => parameters(body).properties.path.type = ["string", "null"],
  "schema field": (body) => parameters(body).additionalProperties = false,
  "schema of an object": (body) => parameters(body).properties.more = { type: "object", properties: {} },
  "schema of an array": (body) => delete parameters(body).properties.at.items,
  "schema required": (body) => parameters(body).required.push("nothing"),
  "schema enum": (body) => parameters(body).properties.at.items.enum = [1, 2],
  "schema format": (body) => parameters(body).properties.path.format = "uri",
  "extra field of the settings": (body) => body.generationConfig.max_tokens = 1,
  "temperature range": (body) => body.generationConfig.temperature = 3,
  "limit range": (body) => body.generationConfig.maxOutputTokens = 100_000,
  "budget and level": (body) => body.generationConfig.thinkingConfig.thinkingBudget = 1024,
  "level of a model with budgets": (_, asked) => asked.path = asked.path.replace("gemini-3-flash-preview", "gemini-2.5-flash"),
  level: (body) => body.generationConfig.thinkingConfig.thinkingLevel = "extreme",
  "budget range": (body) => body.generationConfig.thinkingConfig = { thinkingBudget: 100_000 }
}

const gpt = () => ({
  model: "gpt-4.1",
  max_completion_tokens: 1000,
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "text", text: "Hi" }, { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } }] },
    { role: "assistant", content: null, tool_calls: [{ id: "a", type: "function", function: { name: "read", arguments: "{}" } }] },
    { role: "tool", tool_call_id: "a", content: "ok" },
    { role: "user", content: "And?" }
  ],
  tools: [{ type: "function", function: { name: "read", description: "Reads.", parameters: { type: "object", properties: {} } } }],
  stream: true,
  stream_options: { include_usage: true }
})

const ofOpenAi: Record<string, Break> = {
  path: (_, asked) => asked.path = "/chat/completions",
  "key missing": (_, asked) => delete asked.headers.authorization,
  "key invalid": (_, asked) => asked.headers.authorization = "Bearer invalid",
  "content type": (_, asked) => asked.headers["content-type"] = "text/plain",
  JSON: () => noJson,
  "model required": (body) => delete body.model,
  "model unknown": (body) => body.model = "no-such-model",
  "extra field": (body) => body.foo = 1,
  "messages required": (body) => delete body.messages,
  "messages empty": (body) => body.messages = [],
  role: (body) => body.messages[0].role = "narrator",
  "extra field of a message": (body) => body.messages[4].reasoning_content = "Hm",
  "content null": (body) => body.messages[4].content = null,
  "content empty": (body) => body.messages[4].content = [],
  "part kind": (body) => body.messages[1].content.push({ type: "tool_result" }),
  "image outside a user message": (body) => body.messages[3].content = [body.messages[1].content[1]],
  "image data": (body) => body.messages[1].content[1].image_url.url = "data:image/tiff;base64,AAAA",
  "calls empty": (body) => body.messages.push({ role: "assistant", content: "So", tool_calls: [] }),
  "call id required": (body) => {
    body.messages[2].tool_calls[0].id = ""
    body.messages[3].tool_call_id = ""
  },
  "call id length": (body) => {
    body.messages[2].tool_calls[0].id = "a".repeat(41)
    body.messages[3].tool_call_id = "a".repeat(41)
  },
  "call id unique": (body) => body.messages[2].tool_calls.push({ ...body.messages[2].tool_calls[0] }),
  "call name": (body) => body.messages[2].tool_calls[0].function.name = "read file",
  "call name length": (body) => body.messages[2].tool_calls[0].function.name = "r".repeat(65),
  "call arguments": (body) => body.messages[2].tool_calls[0].function.arguments = {},
  "call without result": (body) => body.messages[2].tool_calls.push({ id: "b", type: "function", function: { name: "read", arguments: "{}" } }),
  "result without calls": (body) => body.messages.push({ role: "tool", tool_call_id: "a", content: "late" }),
  "result id required": (body) => body.messages.splice(4, 0, { role: "tool", content: "x" }),
  "result of no call": (body) => body.messages.splice(4, 0, { role: "tool", tool_call_id: "zz", content: "x" }),
  "two results of a call": (body) => body.messages.splice(4, 0, { role: "tool", tool_call_id: "a", content: "x" }),
  "tools empty": (body) => body.tools = [],
  "tool name": (body) => body.tools[0].function.name = "read file",
  "tool name length": (body) => body.tools[0].function.name = "r".repeat(65),
  "tool names unique": (body) => body.tools.push({ ...body.tools[0] }),
  "tool schema": (body) => body.tools[0].function.parameters = {},
  "temperature range": (body) => body.temperature = 2.5,
  "temperature of a model that thinks": (body) => {
    body.model = "gpt-5.5"
    body.temperature = 0.2
  },
  "max_tokens of a model that thinks": (body) => {
    body.model = "o3"
    body.max_tokens = body.max_completion_tokens
    delete body.max_completion_tokens
  },
  "two limits": (body) => body.max_tokens = 10,
  "limit range": (body) => body.max_completion_tokens = 0,
  effort: (body) => {
    body.model = "gpt-5.5"
    body.reasoning_effort = "extreme"
  },
  "effort of a model that does not think": (body) => body.reasoning_effort = "low",
  "stream options": (body) => body.stream = false
}

const responses = () => ({
  model: "gpt-5.5",
  instructions: "Be brief.",
  input: [
    { role: "user", content: [{ type: "input_text", text: "Hi" }, { type: "input_image", image_url: `data:image/png;base64,${png}` }] },
    { type: "reasoning", summary: [], encrypted_content: "enc_1" },
    { role: "assistant", content: [{ type: "output_text", text: "Reading" }] },
    { type: "function_call", call_id: "a", name: "read", arguments: "{}" },
    { type: "function_call_output", call_id: "a", output: "ok" },
    { role: "user", content: [{ type: "input_text", text: "And?" }] }
  ],
  tools: [{ type: "function", name: "read", description: "Reads.", parameters: { type: "object", properties: {} }, strict: false }],
  max_output_tokens: 1000,
  reasoning: { effort: "low", summary: "auto" },
  include: ["reasoning.encrypted_content"],
  store: false,
  stream: true
})

const ofResponses: Record<string, Break> = {
  path: (_, asked) => asked.path = "/responses",
  "key missing": (_, asked) => delete asked.headers.authorization,
  "key invalid": (_, asked) => asked.headers.authorization = "Bearer invalid",
  "content type": (_, asked) => asked.headers["content-type"] = "text/plain",
  JSON: () => noJson,
  "model required": (body) => {
    delete body.model
    delete body.reasoning
  },
  "model unknown": (body) => body.model = "gpt-5-no-such",
  "extra field": (body) => body.max_tokens = 1,
  "input required": (body) => delete body.input,
  "input empty": (body) => body.input = [],
  "item type": (body) => body.input.push({ type: "tool_result" }),
  role: (body) => body.input[0].role = "tool",
  "content empty": (body) => body.input[5].content = [],
  "part of the user": (body) => body.input[5].content[0].type = "text",
  "part of the assistant": (body) => body.input[2].content[0].type = "input_text",
  "image data": (body) => body.input[0].content[1].image_url = "data:image/tiff;base64,AAAA",
  "call id length": (body) => {
    body.input[3].call_id = "a".repeat(65)
    body.input[4].call_id = "a".repeat(65)
  },
  "call id required": (body) => {
    body.input[3].call_id = ""
    body.input[4].call_id = ""
  },
  "call id unique": (body) => body.input.splice(3, 0, { ...body.input[3] }),
  "call name": (body) => body.input[3].name = "read file",
  "call arguments": (body) => body.input[3].arguments = {},
  "call without result": (body) => body.input.push({ type: "function_call", call_id: "b", name: "read", arguments: "{}" }),
  "result without call": (body) => body.input.push({ type: "function_call_output", call_id: "zz", output: "x" }),
  "two results of a call": (body) => body.input.push({ ...body.input[4] }),
  "result output": (body) => body.input[4].output = { text: "ok" },
  "thought of another": (body) => body.input[1].encrypted_content = "of another",
  "thought summary": (body) => delete body.input[1].summary,
  "tool name": (body) => body.tools[0].name = "read file",
  "tool names unique": (body) => body.tools.push({ ...body.tools[0] }),
  "tool schema": (body) => body.tools[0].parameters = {},
  "temperature range": (body) => {
    body.model = "gpt-4.1"
    delete body.reasoning
    body.temperature = 3
  },
  "temperature of a model that thinks": (body) => body.temperature = 0.5,
  "limit range": (body) => body.max_output_tokens = 1,
  effort: (body) => body.reasoning.effort = "extreme",
  "thought of a model that does not think": (body) => body.model = "gpt-4.1"
}

const suite = (wire: Wire, path: string, headers: Record<string, string>, valid: () => Json, breaks: Record<string, Break>) =>
  describe(`the ${wire.name} server`, () => {
    const ask = (change: Break): WireRequest => {
      const body = valid()
      const asked = { method: "POST", path, headers: { "content-type": "application/json", ...headers } }
      const text = change(body, asked)
      const broken = text === noJson
      return { ...asked, body: broken ? undefined : body, text: broken ? noJson : JSON.stringify(body) }
    }
    it("takes a request that is right", () => assert.deepStrictEqual(refusal(wire, ask(() => 0)), undefined))
    it("has a breaking request for every rule", () => assert.deepStrictEqual(Object.keys(breaks), wire.refusals.map(({ name }) => name)))
    for (const rule of wire.refusals) {
      it(`refuses: ${rule.name}`, () => {
        const asked = ask(breaks[rule.name]!)
        const wrong = refusal(wire, asked)
        assert.strictEqual(wrong?.rule.name, rule.name, wrong?.message)
        // It breaks this rule and no other, but where one can't be broken alone.
        const others = wire.refusals.filter((other) => other.name !== rule.name && other.refuses(asked) !== undefined).map(({ name }) => name)
        assert.isTrue(others.length === 0 || asked.body === undefined || alone.has(rule.name), `breaks also: ${others.join(", ")}`)
      })
    }
  })

/** Rules whose breach shows in a later rule as well. */
const alone = new Set(["path", "result without calls", "contents required", "parts empty", "call of the user", "result of the model", "content empty", "result of the assistant", "role", "id unique", "messages required", "messages empty", "result id required", "result in an assistant message", "call id unique"])

suite(anthropic, "/v1/messages", { "x-api-key": "k", "anthropic-version": "2023-06-01" }, claude, ofAnthropic)
suite(anthropicVertex, "/v1/projects/p/locations/l/publishers/anthropic/models/claude-sonnet-4-5:streamRawPredict", { authorization: "Bearer t" }, () => ({ ...hosted("vertex-2023-10-16")(), stream: true }), ofVertex)
suite(anthropicBedrock, "/model/claude-sonnet-4-5/invoke-with-response-stream", { authorization: "Bearer k" }, hosted("bedrock-2023-05-31"), ofAnthropicBedrock)
suite(bedrock, "/model/claude-sonnet-4-5/converse-stream", { authorization: "Bearer k" }, converse, ofBedrock)
suite(gemini, "/v1beta/models/gemini-3-flash-preview:streamGenerateContent", { "x-goog-api-key": "k" }, generate, ofGemini)
suite(openAiChat, "/v1/chat/completions", { authorization: "Bearer k" }, gpt, ofOpenAi)
suite(openAiResponses, "/v1/responses", { authorization: "Bearer k" }, responses, ofResponses)
