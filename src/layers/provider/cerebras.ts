/** Open models on Cerebras' chips. */
import type { Route } from "../../services/Route.ts"
import { chat } from "./sdk/OpenAiSdk.ts"

export const cerebras: Route = {
  name: "cerebras",
  title: "Cerebras",
  wire: "openai-chat",
  keys: ["CEREBRAS_API_KEY"],
  baseUrl: "https://api.cerebras.ai/v1",
  baseUrlVariable: "CEREBRAS_BASE_URL",
  local: false,
  connect: chat({ maxTokens: "max_completion_tokens" })
}
