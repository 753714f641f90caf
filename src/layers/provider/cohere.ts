/** Cohere's models through its compatible endpoint. */
import type { Route } from "../../services/Route.ts"
import { chat } from "./sdk/OpenAiSdk.ts"

export const cohere: Route = {
  name: "cohere",
  title: "Cohere",
  wire: "openai-chat",
  keys: ["COHERE_API_KEY", "CO_API_KEY"],
  baseUrl: "https://api.cohere.ai/compatibility/v1",
  baseUrlVariable: "COHERE_BASE_URL",
  local: false,
  connect: chat()
}
