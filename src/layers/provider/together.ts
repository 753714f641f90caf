/** Open models at Together. */
import type { Route } from "../../services/Route.ts"
import { chat } from "./sdk/OpenAiSdk.ts"

export const together: Route = {
  name: "together",
  title: "Together",
  wire: "openai-chat",
  keys: ["TOGETHER_API_KEY"],
  baseUrl: "https://api.together.xyz/v1",
  baseUrlVariable: "TOGETHER_BASE_URL",
  local: false,
  connect: chat()
}
