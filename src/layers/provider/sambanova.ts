/** Open models on SambaNova's chips. */
import type { Route } from "../../services/Route.ts"
import { chat } from "./sdk/OpenAiSdk.ts"

export const sambanova: Route = {
  name: "sambanova",
  title: "SambaNova",
  wire: "openai-chat",
  keys: ["SAMBANOVA_API_KEY"],
  baseUrl: "https://api.sambanova.ai/v1",
  baseUrlVariable: "SAMBANOVA_BASE_URL",
  local: false,
  connect: chat()
}
