/** Models of many makers on Amazon Bedrock, over Converse; Claude's figures are those of Anthropic. */
import type { Route } from "../../services/Route.ts"
import { claude, converse, keys, place } from "./sdk/BedrockSdk.ts"

export const bedrock: Route = {
  name: "bedrock",
  title: "Amazon Bedrock",
  wire: "bedrock-converse",
  keys,
  keyOptional: true,
  baseUrl: "https://bedrock-runtime.<region>.amazonaws.com",
  baseUrlVariable: "BEDROCK_BASE_URL",
  place,
  local: false,
  catalogue: "anthropic",
  catalogueId: claude,
  connect: converse
}
