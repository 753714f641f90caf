/** Open models at Nebius. */
import type { Route } from "../../services/Route.ts"
import { chat } from "./sdk/OpenAiSdk.ts"

export const nebius: Route = {
  name: "nebius",
  title: "Nebius",
  wire: "openai-chat",
  keys: ["NEBIUS_API_KEY"],
  baseUrl: "https://api.tokenfactory.nebius.com/v1",
  baseUrlVariable: "NEBIUS_BASE_URL",
  local: false,
  connect: chat()
}
