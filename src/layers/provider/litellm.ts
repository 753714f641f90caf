/** Models behind a LiteLLM proxy, which may ask for a key. */
import type { Route } from "../../services/Route.ts"
import { chat } from "./sdk/OpenAiSdk.ts"

export const litellm: Route = {
  name: "litellm",
  title: "LiteLLM proxy",
  wire: "openai-chat",
  keys: ["LITELLM_API_KEY"],
  keyOptional: true,
  baseUrl: "http://localhost:4000/v1",
  baseUrlVariable: "LITELLM_BASE_URL",
  local: false,
  connect: chat()
}
