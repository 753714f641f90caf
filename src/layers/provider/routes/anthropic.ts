/** Claude models: at Anthropic, at any server that speaks the same wire, on Amazon Bedrock and on Google Vertex AI. */
import type { Route } from "../../../services/Route.ts"
import * as Amazon from "../clouds/Amazon.ts"
import * as Google from "../clouds/Google.ts"
import { messages, messagesOnBedrock, messagesOnVertex } from "../wires.ts"

export const anthropic: Route = {
  name: "anthropic",
  title: "Anthropic",
  wire: "anthropic-messages",
  keys: ["ANTHROPIC_API_KEY"],
  baseUrl: "https://api.anthropic.com",
  baseUrlVariable: "ANTHROPIC_BASE_URL",
  local: false,
  connect: messages
}

export const anthropicCompatible: Route = {
  name: "anthropic-compatible",
  title: "Any server that speaks Anthropic's Messages",
  wire: "anthropic-messages",
  keys: ["ANTHROPIC_COMPATIBLE_API_KEY"],
  baseUrl: "",
  baseUrlVariable: "ANTHROPIC_COMPATIBLE_BASE_URL",
  local: false,
  connect: messages
}

/** In Anthropic's own wire, with features that Converse lacks. */
export const anthropicBedrock: Route = {
  name: "anthropic-bedrock",
  title: "Claude on Amazon Bedrock",
  wire: "anthropic-bedrock",
  keys: Amazon.keys,
  keyOptional: true,
  baseUrl: "https://bedrock-runtime.<region>.amazonaws.com",
  baseUrlVariable: "ANTHROPIC_BEDROCK_BASE_URL",
  place: Amazon.place,
  local: false,
  catalogue: "anthropic",
  catalogueId: Amazon.claudeId,
  connect: messagesOnBedrock
}

/** With Google Cloud credentials. An id that ends in `@20250929` ends in `-20250929` at Anthropic. */
export const anthropicVertex: Route = {
  name: "anthropic-vertex",
  title: "Claude on Google Vertex AI",
  wire: "anthropic-vertex",
  keys: Google.keys,
  keyOptional: true,
  baseUrl: "https://<location>-aiplatform.googleapis.com",
  baseUrlVariable: "ANTHROPIC_VERTEX_BASE_URL",
  place: Google.place,
  local: false,
  catalogue: "anthropic",
  catalogueId: (id) => id.replace(/@(?:default|latest)$/, "").replace("@", "-"),
  connect: messagesOnVertex
}

export const anthropicRoutes: ReadonlyArray<Route> = [anthropic, anthropicBedrock, anthropicCompatible, anthropicVertex]
