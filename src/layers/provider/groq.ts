/** Open models on Groq's chips. */
import type { Route } from "../../services/Route.ts"
import { chat } from "./sdk/OpenAiSdk.ts"

export const groq: Route = {
  name: "groq",
  title: "Groq",
  wire: "openai-chat",
  keys: ["GROQ_API_KEY"],
  baseUrl: "https://api.groq.com/openai/v1",
  baseUrlVariable: "GROQ_BASE_URL",
  local: false,
  connect: chat({ maxTokens: "max_completion_tokens" })
}
