/** Alibaba's models, the international region. */
import type { Route } from "../../services/Route.ts"
import { chat } from "./sdk/OpenAiSdk.ts"

export const qwen: Route = {
  name: "qwen",
  title: "Qwen (DashScope, international)",
  wire: "openai-chat",
  keys: ["DASHSCOPE_API_KEY"],
  baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
  baseUrlVariable: "DASHSCOPE_BASE_URL",
  local: false,
  connect: chat()
}
