/** Perplexity's models, which search the web. */
import type { Route } from "../../services/Route.ts"
import { chat } from "./sdk/OpenAiSdk.ts"

export const perplexity: Route = {
  name: "perplexity",
  title: "Perplexity",
  wire: "openai-chat",
  keys: ["PERPLEXITY_API_KEY"],
  baseUrl: "https://api.perplexity.ai",
  baseUrlVariable: "PERPLEXITY_BASE_URL",
  local: false,
  connect: chat()
}
