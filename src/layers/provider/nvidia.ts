/** Models as NVIDIA hosts them; a NIM of one's own has its own base URL. */
import type { Route } from "../../services/Route.ts"
import { chat } from "./sdk/OpenAiSdk.ts"

export const nvidia: Route = {
  name: "nvidia",
  title: "NVIDIA NIM",
  wire: "openai-chat",
  keys: ["NVIDIA_API_KEY"],
  baseUrl: "https://integrate.api.nvidia.com/v1",
  baseUrlVariable: "NVIDIA_BASE_URL",
  local: false,
  connect: chat()
}
