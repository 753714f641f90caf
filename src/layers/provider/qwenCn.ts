/** Alibaba's models, the Chinese region. */
import type { Route } from "../../services/Route.ts"
import { chat } from "./sdk/OpenAiSdk.ts"

export const qwenCn: Route = {
  name: "qwen-cn",
  title: "Qwen (DashScope, China)",
  wire: "openai-chat",
  keys: ["DASHSCOPE_CN_API_KEY", "DASHSCOPE_API_KEY"],
  baseUrl: "https://dashscope.aliyuncs.com/compatible-mode/v1",
  baseUrlVariable: "DASHSCOPE_CN_BASE_URL",
  local: false,
  catalogue: "qwen",
  connect: chat()
}
