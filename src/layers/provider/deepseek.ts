/** DeepSeek's own models. */
import type { Route } from "../../services/Route.ts"
import { chat } from "./sdk/OpenAiSdk.ts"

export const deepseek: Route = {
  name: "deepseek",
  title: "DeepSeek",
  wire: "openai-chat",
  keys: ["DEEPSEEK_API_KEY"],
  baseUrl: "https://api.deepseek.com",
  baseUrlVariable: "DEEPSEEK_BASE_URL",
  local: false,
  connect: chat()
}
