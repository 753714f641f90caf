/** Google's models at the Gemini API and on Vertex AI, and the models on Amazon Bedrock. */
import type { Route } from "../../../services/Route.ts"
import * as Amazon from "../clouds/Amazon.ts"
import * as Google from "../clouds/Google.ts"
import * as wires from "../wires.ts"

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
  connect: wires.gemini
}

/** With Google Cloud credentials. */
export const geminiVertex: Route = {
  name: "gemini-vertex",
  title: "Gemini on Google Vertex AI",
  wire: "gemini",
  keys: Google.keys,
  keyOptional: true,
  baseUrl: "https://<location>-aiplatform.googleapis.com",
  baseUrlVariable: "GOOGLE_VERTEX_BASE_URL",
  place: Google.place,
  local: false,
  catalogue: "gemini",
  connect: wires.geminiOnVertex
}

/** Models of many vendors over Converse. Claude models are described by the entries for Anthropic. */
export const bedrock: Route = {
  name: "bedrock",
  title: "Amazon Bedrock",
  wire: "bedrock-converse",
  keys: Amazon.keys,
  keyOptional: true,
  baseUrl: "https://bedrock-runtime.<region>.amazonaws.com",
  baseUrlVariable: "BEDROCK_BASE_URL",
  place: Amazon.place,
  local: false,
  catalogue: "anthropic",
  catalogueId: Amazon.claudeId,
  connect: wires.converse
}

export const clouds: ReadonlyArray<Route> = [bedrock, gemini, geminiVertex]
