/** Models of many providers through Vercel's gateway. */
import type { Route } from "../../services/Route.ts"
import { chat } from "./sdk/OpenAiSdk.ts"

export const vercel: Route = {
  name: "vercel",
  title: "Vercel AI Gateway",
  wire: "openai-chat",
  keys: ["AI_GATEWAY_API_KEY"],
  baseUrl: "https://ai-gateway.vercel.sh/v1",
  baseUrlVariable: "AI_GATEWAY_BASE_URL",
  local: false,
  connect: chat()
}
