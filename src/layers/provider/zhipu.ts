/** GLM models at Z.ai. */
import type { Route } from "../../services/Route.ts"
import { chat } from "./sdk/OpenAiSdk.ts"

export const zhipu: Route = {
  name: "zhipu",
  title: "Zhipu (Z.ai)",
  wire: "openai-chat",
  keys: ["ZHIPU_API_KEY", "ZAI_API_KEY"],
  baseUrl: "https://api.z.ai/api/paas/v4",
  baseUrlVariable: "ZHIPU_BASE_URL",
  local: false,
  connect: chat()
}
