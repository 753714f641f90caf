/** Models of many providers through Requesty. */
import type { Route } from "../../services/Route.ts"
import { chat } from "./sdk/OpenAiSdk.ts"

export const requesty: Route = {
  name: "requesty",
  title: "Requesty",
  wire: "openai-chat",
  keys: ["REQUESTY_API_KEY"],
  baseUrl: "https://router.requesty.ai/v1",
  baseUrlVariable: "REQUESTY_BASE_URL",
  local: false,
  connect: chat()
}
