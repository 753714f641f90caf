/** Google's models at the Gemini API and on Vertex AI, and the models on Amazon Bedrock. */
import type { Route } from "../../../services/Route.ts"
import { claudeId, converse, keys, place } from "../sdk/BedrockSdk.ts"
import { gemini as connect, vertex } from "../sdk/GoogleSdk.ts"
import * as GoogleToken from "../sdk/GoogleToken.ts"

const geminiUrl = "https://generativelanguage.googleapis.com"

export const gemini: Route = {
  name: "gemini",
  title: "Google Gemini",
  wire: "gemini",
  keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  baseUrl: geminiUrl,
  baseUrlVariable: "GEMINI_BASE_URL",
  // What Google's own tools read.
  place: { keys: ["GOOGLE_GEMINI_BASE_URL"], address: ({ GOOGLE_GEMINI_BASE_URL }) => GOOGLE_GEMINI_BASE_URL || geminiUrl },
  local: false,
  connect
}

/** With Google Cloud credentials. */
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

/** Models of many vendors over Converse. Claude models are described by the entries for Anthropic. */
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
  catalogueId: claudeId,
  connect: converse
}

export const clouds: ReadonlyArray<Route> = [bedrock, gemini, geminiVertex]
