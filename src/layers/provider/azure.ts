/** OpenAI's models on Azure: the base URL is `https://<resource>.openai.azure.com/openai/v1`, the model's id the deployment's name. */
import type { Route } from "../../services/Route.ts"
import { chat } from "./sdk/OpenAiSdk.ts"

export const azure: Route = {
  name: "azure",
  title: "Azure OpenAI",
  wire: "openai-chat",
  keys: ["AZURE_OPENAI_API_KEY", "AZURE_API_KEY"],
  baseUrl: "",
  baseUrlVariable: "AZURE_OPENAI_BASE_URL",
  local: false,
  catalogue: "openai",
  connect: chat({ maxTokens: "max_completion_tokens" })
}
