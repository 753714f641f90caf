/** The server that the protocol's conformance suite asks for (its scenarios say what each part does), on our server layer. */
import { type McpServerFactory, Server, type ServerContext } from "@modelcontextprotocol/server"
import { setTimeout } from "node:timers/promises"

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="

const text = (text: string) => ({ content: [{ type: "text" as const, text }] })
const image = { type: "image" as const, data: png, mimeType: "image/png" }
const embedded = { type: "resource" as const, resource: { uri: "test://embedded-resource", mimeType: "text/plain", text: "This is an embedded resource content." } }

type Input = Readonly<Record<string, string>>
type Elicited = Parameters<ServerContext["mcpReq"]["elicitInput"]>[0]

const elicit = async ({ mcpReq }: ServerContext, lead: string, message: string, properties: object, required: ReadonlyArray<string> = []) => {
  const { action, content } = await mcpReq.elicitInput({ mode: "form", message, requestedSchema: { type: "object", properties, required: [...required] } } as Elicited)
  return text(`${lead}: action=${action}, content=${JSON.stringify(content ?? {})}`)
}

const titled = (name: string, title: string) => [1, 2, 3].map((n) => ({ const: `${name}${n}`, title: `${title} ${n}` }))
const strings = (...names: ReadonlyArray<string>) => ({ type: "string", enum: names })

const tools: Readonly<Record<string, (input: Input, context: ServerContext) => unknown>> = {
  test_simple_text: () => text("This is a simple text response for testing."),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: "audio", data: wav, mimeType: "audio/wav" }] }),
  test_embedded_resource: () => ({ content: [embedded] }),
  test_multiple_content_types: () => ({ content: [{ type: "text", text: "Multiple content types test:" }, image, embedded] }),
  test_tool_with_logging: async (_, { mcpReq }) => {
    await mcpReq.log("info", "Tool execution started")
    await setTimeout(50)
    await mcpReq.log("info", "Tool processing data")
    await setTimeout(50)
    await mcpReq.log("info", "Tool execution completed")
    return text("Logged.")
  },
  test_error_handling: () => ({ ...text("This tool intentionally returns an error for testing"), isError: true }),
  test_tool_with_progress: async (_, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken ?? 0
    for (const progress of [0, 50, 100]) {
      await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 100 } })
      await setTimeout(50)
    }
    return text("Done.")
  },
  test_sampling: async ({ prompt = "" }, { mcpReq }) => {
    const { content } = await mcpReq.requestSampling({ messages: [{ role: "user", content: { type: "text", text: prompt } }], maxTokens: 100 })
    return text(`LLM response: ${!Array.isArray(content) && content.type === "text" ? content.text : "no text"}`)
  },
  test_elicitation: ({ message = "" }, context) =>
    elicit(context, "User response", message, {
      username: { type: "string", description: "User's response" },
      email: { type: "string", description: "User's email address" }
    }, ["username", "email"]),
  test_elicitation_sep1034_defaults: (_, context) =>
    elicit(context, "Elicitation completed", "Defaults?", {
      name: { type: "string", default: "John Doe" },
      age: { type: "integer", default: 30 },
      score: { type: "number", default: 95.5 },
      status: { ...strings("active", "inactive", "pending"), default: "active" },
      verified: { type: "boolean", default: true }
    }),
  test_elicitation_sep1330_enums: (_, context) =>
    elicit(context, "Elicitation completed", "Choose.", {
      untitledSingle: strings("option1", "option2", "option3"),
      titledSingle: { type: "string", oneOf: titled("value", "Option") },
      legacyEnum: { ...strings("opt1", "opt2", "opt3"), enumNames: ["Option One", "Option Two", "Option Three"] },
      untitledMulti: { type: "array", items: strings("option1", "option2", "option3") },
      titledMulti: { type: "array", items: { anyOf: titled("value", "Choice") } }
    }),
  json_schema_2020_12_tool: () => text("It keeps its schema."),
  test_reconnection: async (_, { http }) => {
    http?.closeSSE?.()
    await setTimeout(100)
    return text("Reconnection test completed successfully")
  }
}

const schemas: Readonly<Record<string, object>> = {
  test_sampling: { type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] },
  test_elicitation: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
  json_schema_2020_12_tool: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    $defs: { address: { type: "object", properties: { street: { type: "string" }, city: { type: "string" } } } },
    properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
    additionalProperties: false
  }
}

const resources = [
  { uri: "test://static-text", name: "Static text", description: "A static text resource", mimeType: "text/plain" },
  { uri: "test://static-binary", name: "Static binary", description: "A static picture", mimeType: "image/png" },
  { uri: "test://watched-resource", name: "Watched", description: "One to subscribe to", mimeType: "text/plain" }
]

const contents = (uri: string) => {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1]
  if (id !== undefined) return { uri, mimeType: "application/json", text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) }
  if (uri === "test://static-binary") return { uri, mimeType: "image/png", blob: png }
  return { uri, mimeType: "text/plain", text: "This is the content of the static text resource." }
}

const user = (content: object) => ({ role: "user", content })
const prompts: Readonly<Record<string, { readonly arguments?: ReadonlyArray<{ readonly name: string; readonly required: boolean }>; readonly messages: (input: Input) => ReadonlyArray<object> }>> = {
  test_simple_prompt: { messages: () => [user({ type: "text", text: "This is a simple prompt for testing." })] },
  test_prompt_with_arguments: {
    arguments: ["arg1", "arg2"].map((name) => ({ name, required: true })),
    messages: ({ arg1, arg2 }) => [user({ type: "text", text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` })]
  },
  test_prompt_with_embedded_resource: {
    arguments: [{ name: "resourceUri", required: true }],
    messages: ({ resourceUri = "" }) => [
      user({ type: "resource", resource: { uri: resourceUri, mimeType: "text/plain", text: "Embedded resource content for testing." } }),
      user({ type: "text", text: "Please process the embedded resource above." })
    ]
  },
  test_prompt_with_image: { messages: () => [user(image), user({ type: "text", text: "Please analyze the image above." })] }
}

export const make: McpServerFactory = () => {
  const server = new Server({ name: "dacapo-conformance", version: "1.0.0" }, {
    capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, prompts: {}, logging: {}, completions: {} }
  })
  server.setRequestHandler("tools/list", () => ({
    tools: Object.keys(tools).map((name) => ({ name, description: `The tool ${name}.`, inputSchema: (schemas[name] ?? { type: "object" }) as { type: "object" } }))
  }))
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const tool = tools[params.name]
    if (tool === undefined) throw new Error(`There is no tool ${params.name}`)
    return await tool((params.arguments ?? {}) as Input, context) as ReturnType<typeof text>
  })
  server.setRequestHandler("resources/list", () => ({ resources }))
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "Template", mimeType: "application/json" }] }))
  server.setRequestHandler("resources/read", ({ params }) => ({ contents: [contents(params.uri)] }))
  server.setRequestHandler("resources/subscribe", () => ({}))
  server.setRequestHandler("resources/unsubscribe", () => ({}))
  server.setRequestHandler("prompts/list", () => ({
    prompts: Object.entries(prompts).map(([name, { arguments: asked = [] }]) => ({ name, description: `The prompt ${name}.`, arguments: [...asked] }))
  }))
  server.setRequestHandler("prompts/get", ({ params }) => ({ messages: [...prompts[params.name]?.messages(params.arguments ?? {}) ?? []] as never }))
  server.setRequestHandler("completion/complete", () => ({ completion: { values: [], total: 0, hasMore: false } }))
  return server
}
