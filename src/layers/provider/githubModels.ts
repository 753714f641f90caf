/** Models that a GitHub account may use. */
import type { Route } from "../../services/Route.ts"
import { chat } from "./sdk/OpenAiSdk.ts"

export const githubModels: Route = {
  name: "github-models",
  title: "GitHub Models",
  wire: "openai-chat",
  keys: ["GITHUB_TOKEN"],
  baseUrl: "https://models.github.ai/inference",
  baseUrlVariable: "GITHUB_MODELS_BASE_URL",
  local: false,
  connect: chat()
}
