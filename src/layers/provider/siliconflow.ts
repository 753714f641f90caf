/** Open models at SiliconFlow. */
import type { Route } from "../../services/Route.ts"
import { chat } from "./sdk/OpenAiSdk.ts"

export const siliconflow: Route = {
  name: "siliconflow",
  title: "SiliconFlow",
  wire: "openai-chat",
  keys: ["SILICONFLOW_API_KEY"],
  baseUrl: "https://api.siliconflow.com/v1",
  baseUrlVariable: "SILICONFLOW_BASE_URL",
  local: false,
  connect: chat()
}
