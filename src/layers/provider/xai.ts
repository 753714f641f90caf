/** Grok models at xAI. */
import type { Route } from "../../services/Route.ts"
import { chat } from "./sdk/OpenAiSdk.ts"

export const xai: Route = {
  name: "xai",
  title: "xAI",
  wire: "openai-chat",
  keys: ["XAI_API_KEY"],
  baseUrl: "https://api.x.ai/v1",
  baseUrlVariable: "XAI_BASE_URL",
  local: false,
  connect: chat()
}
