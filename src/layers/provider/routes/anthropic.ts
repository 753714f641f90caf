/** Claude models at Anthropic. */
import type { Route } from "../../../services/Route.ts"
import { connect } from "../sdk/AnthropicSdk.ts"

export const anthropic: Route = {
  name: "anthropic",
  title: "Anthropic",
  wire: "anthropic-messages",
  keys: ["ANTHROPIC_API_KEY"],
  baseUrl: "https://api.anthropic.com",
  baseUrlVariable: "ANTHROPIC_BASE_URL",
  local: false,
  connect
}
