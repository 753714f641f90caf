/** Models behind a Cloudflare gateway: the base URL is `https://gateway.ai.cloudflare.com/v1/<account>/<gateway>/compat`. */
import type { Route } from "../../services/Route.ts"
import { chat } from "./sdk/OpenAiSdk.ts"

export const cloudflare: Route = {
  name: "cloudflare",
  title: "Cloudflare AI Gateway",
  wire: "openai-chat",
  keys: ["CLOUDFLARE_API_TOKEN"],
  baseUrl: "",
  baseUrlVariable: "CLOUDFLARE_GATEWAY_BASE_URL",
  local: false,
  connect: chat()
}
