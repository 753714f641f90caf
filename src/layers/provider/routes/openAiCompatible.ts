/** OpenAI's models through Chat Completions. */
import type { Route } from "../../../services/Route.ts"
import { chat } from "../sdk/OpenAiSdk.ts"

export const openai: Route = {
  name: "openai",
  title: "OpenAI",
  wire: "openai-chat",
  keys: ["OPENAI_API_KEY"],
  baseUrl: "https://api.openai.com/v1",
  baseUrlVariable: "OPENAI_BASE_URL",
  local: false,
  connect: chat({ maxTokens: "max_completion_tokens", cacheKey: "prompt_cache_key" })
}
