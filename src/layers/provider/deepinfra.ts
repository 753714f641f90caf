/** Open models at DeepInfra. */
import type { Route } from "../../services/Route.ts"
import { chat } from "./sdk/OpenAiSdk.ts"

export const deepinfra: Route = {
  name: "deepinfra",
  title: "DeepInfra",
  wire: "openai-chat",
  keys: ["DEEPINFRA_API_KEY"],
  baseUrl: "https://api.deepinfra.com/v1/openai",
  baseUrlVariable: "DEEPINFRA_BASE_URL",
  local: false,
  connect: chat()
}
