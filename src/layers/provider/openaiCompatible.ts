/** Any server that speaks Chat Completions, at the address that --base-url or the variable names. */
import type { Route } from "../../services/Route.ts"
import { chat } from "./sdk/OpenAiSdk.ts"

export const openaiCompatible: Route = {
  name: "openai-compatible",
  title: "Any server that speaks OpenAI's Chat Completions",
  wire: "openai-chat",
  keys: ["OPENAI_COMPATIBLE_API_KEY"],
  keyOptional: true,
  baseUrl: "http://localhost:8000/v1",
  baseUrlVariable: "OPENAI_COMPATIBLE_BASE_URL",
  local: false,
  connect: chat()
}
