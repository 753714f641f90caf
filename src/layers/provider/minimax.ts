/** MiniMax' own models. */
import type { Route } from "../../services/Route.ts"
import { chat } from "./sdk/OpenAiSdk.ts"

export const minimax: Route = {
  name: "minimax",
  title: "MiniMax",
  wire: "openai-chat",
  keys: ["MINIMAX_API_KEY"],
  baseUrl: "https://api.minimax.io/v1",
  baseUrlVariable: "MINIMAX_BASE_URL",
  local: false,
  connect: chat()
}
