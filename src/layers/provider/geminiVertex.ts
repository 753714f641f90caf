/** Google's models on Vertex AI, with Google Cloud's credentials. */
import type { Route } from "../../services/Route.ts"
import { vertex } from "./sdk/GoogleSdk.ts"
import * as GoogleToken from "./sdk/GoogleToken.ts"

export const geminiVertex: Route = {
  name: "gemini-vertex",
  title: "Gemini on Google Vertex AI",
  wire: "gemini",
  keys: GoogleToken.keys,
  keyOptional: true,
  baseUrl: "https://<location>-aiplatform.googleapis.com",
  baseUrlVariable: "GOOGLE_VERTEX_BASE_URL",
  place: GoogleToken.place,
  local: false,
  catalogue: "gemini",
  connect: vertex
}
