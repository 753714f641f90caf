/** Any server that speaks Anthropic's Messages, at the address that --base-url or the variable names. */
import type { Route } from "../../services/Route.ts"
import { connect } from "./sdk/AnthropicSdk.ts"

export const anthropicCompatible: Route = {
  name: "anthropic-compatible",
  title: "Any server that speaks Anthropic's Messages",
  wire: "anthropic-messages",
  keys: ["ANTHROPIC_COMPATIBLE_API_KEY"],
  baseUrl: "",
  baseUrlVariable: "ANTHROPIC_COMPATIBLE_BASE_URL",
  local: false,
  connect
}
