/** Google's models at its Gemini API. */
import type { Route } from "../../services/Route.ts"
import { gemini as connect } from "./GoogleSdk.ts"

export const gemini: Route = {
  name: "gemini",
  title: "Google Gemini",
  wire: "gemini",
  keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  baseUrl: "https://generativelanguage.googleapis.com",
  baseUrlVariable: "GEMINI_BASE_URL",
  local: false,
  connect
}
