/** Claude models on Google's Vertex AI, with Google Cloud's credentials; `@20250929` in an id is `-20250929` at Anthropic. */
import type { Route } from "../../services/Route.ts"
import { vertex } from "./sdk/AnthropicSdk.ts"
import * as GoogleToken from "./sdk/GoogleToken.ts"

export const anthropicVertex: Route = {
  name: "anthropic-vertex",
  title: "Claude on Google Vertex AI",
  wire: "anthropic-vertex",
  keys: GoogleToken.keys,
  keyOptional: true,
  baseUrl: "https://<location>-aiplatform.googleapis.com",
  baseUrlVariable: "ANTHROPIC_VERTEX_BASE_URL",
  place: GoogleToken.place,
  local: false,
  catalogue: "anthropic",
  catalogueId: (id) => id.replace(/@(?:default|latest)$/, "").replace("@", "-"),
  connect: vertex
}
