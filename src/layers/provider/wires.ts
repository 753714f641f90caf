/** The protocols of the built-in routes. Each is loaded when a route of it first connects: who lists the routes loads none. */
import type { Quirks } from "../../domain/provider/OpenAiChat.ts"
import type { Route } from "../../services/Route.ts"
import type { ModelQueries } from "./queries/QueryServer.ts"

type Connect = Route["connect"]

/** Anthropic Messages: at Anthropic and compatible servers, and hosted by the clouds. */
export const messages: Connect = async (endpoint) => (await import("./sdk/AnthropicSdk.ts")).connect(endpoint)
export const messagesOnBedrock: Connect = async (endpoint) => (await import("./sdk/BedrockSdk.ts")).messages(endpoint)
export const messagesOnVertex: Connect = async (endpoint) => (await import("./sdk/AnthropicSdk.ts")).vertex(endpoint)

export const converse: Connect = async (endpoint) => (await import("./sdk/BedrockSdk.ts")).converse(endpoint)

export const gemini: Connect = async (endpoint) => (await import("./sdk/GoogleSdk.ts")).gemini(endpoint)
export const geminiOnVertex: Connect = async (endpoint) => (await import("./sdk/GoogleSdk.ts")).vertex(endpoint)

/** Chat Completions, with a server's quirks; `queries` ask it about its models. */
export const chat = (quirks: Partial<Quirks> = {}, queries?: () => Promise<ModelQueries>): Connect => async (endpoint) =>
  (await import("./sdk/OpenAiSdk.ts")).chat(quirks, await queries?.())(endpoint)

export const responses: Connect = async (endpoint) => (await import("./sdk/OpenAiSdk.ts")).responses(endpoint)

export const script: Connect = async () => (await import("./routes/ScriptFile.ts")).connect()
