/** Open models at Fireworks. */
import type { Route } from "../../services/Route.ts"
import { chat } from "./sdk/OpenAiSdk.ts"

export const fireworks: Route = {
  name: "fireworks",
  title: "Fireworks",
  wire: "openai-chat",
  keys: ["FIREWORKS_API_KEY"],
  baseUrl: "https://api.fireworks.ai/inference/v1",
  baseUrlVariable: "FIREWORKS_BASE_URL",
  local: false,
  connect: chat()
}
