/** ByteDance's models on Volcengine. */
import type { Route } from "../../services/Route.ts"
import { chat } from "./sdk/OpenAiSdk.ts"

export const doubao: Route = {
  name: "doubao",
  title: "Doubao (Volcengine Ark)",
  wire: "openai-chat",
  keys: ["ARK_API_KEY"],
  baseUrl: "https://ark.cn-beijing.volces.com/api/v3",
  baseUrlVariable: "ARK_BASE_URL",
  local: false,
  connect: chat()
}
