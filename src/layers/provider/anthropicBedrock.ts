/** Claude models on Amazon Bedrock in Anthropic's own wire, with all that it has and Converse has not. */
import type { Route } from "../../services/Route.ts"
import { claude, keys, messages, place } from "./sdk/BedrockSdk.ts"

export const anthropicBedrock: Route = {
  name: "anthropic-bedrock",
  title: "Claude on Amazon Bedrock",
  wire: "anthropic-bedrock",
  keys,
  keyOptional: true,
  baseUrl: "https://bedrock-runtime.<region>.amazonaws.com",
  baseUrlVariable: "ANTHROPIC_BEDROCK_BASE_URL",
  place,
  local: false,
  catalogue: "anthropic",
  catalogueId: claude,
  connect: messages
}
