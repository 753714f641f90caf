/** OpenAI's models through Responses, where thought goes back to them encrypted. */
import type { Route } from "../../services/Route.ts"
import { responses } from "./sdk/OpenAiSdk.ts"

export const openaiResponses: Route = {
  name: "openai-responses",
  title: "OpenAI (Responses)",
  wire: "openai-responses",
  keys: ["OPENAI_API_KEY"],
  baseUrl: "https://api.openai.com/v1",
  baseUrlVariable: "OPENAI_BASE_URL",
  local: false,
  catalogue: "openai",
  connect: responses
}
