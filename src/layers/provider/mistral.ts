/** Mistral's own models. Ids of calls are nine letters and digits; usage comes unasked, and asking for it is refused. */
import type { Route } from "../../services/Route.ts"
import { chat } from "./sdk/OpenAiSdk.ts"

export const mistral: Route = {
  name: "mistral",
  title: "Mistral",
  wire: "openai-chat",
  keys: ["MISTRAL_API_KEY"],
  baseUrl: "https://api.mistral.ai/v1",
  baseUrlVariable: "MISTRAL_BASE_URL",
  local: false,
  connect: chat({ streamUsage: false, ids: { illegal: /[^a-zA-Z0-9]/g, max: 9, exact: true } })
}
