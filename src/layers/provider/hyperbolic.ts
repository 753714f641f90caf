/** Open models at Hyperbolic. */
import type { Route } from "../../services/Route.ts"
import { chat } from "./sdk/OpenAiSdk.ts"

export const hyperbolic: Route = {
  name: "hyperbolic",
  title: "Hyperbolic",
  wire: "openai-chat",
  keys: ["HYPERBOLIC_API_KEY"],
  baseUrl: "https://api.hyperbolic.xyz/v1",
  baseUrlVariable: "HYPERBOLIC_BASE_URL",
  local: false,
  connect: chat()
}
