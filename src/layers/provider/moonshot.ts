/** Kimi models at Moonshot. */
import type { Route } from "../../services/Route.ts"
import { chat } from "./sdk/OpenAiSdk.ts"

export const moonshot: Route = {
  name: "moonshot",
  title: "Moonshot",
  wire: "openai-chat",
  keys: ["MOONSHOT_API_KEY"],
  baseUrl: "https://api.moonshot.ai/v1",
  baseUrlVariable: "MOONSHOT_BASE_URL",
  local: false,
  connect: chat()
}
