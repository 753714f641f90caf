/** Google's models at its Gemini API. */
import type { Route } from "../../../services/Route.ts"
import { gemini as connect } from "../sdk/GoogleSdk.ts"

const home = "https://generativelanguage.googleapis.com"

export const gemini: Route = {
  name: "gemini",
  title: "Google Gemini",
  wire: "gemini",
  keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  baseUrl: home,
  baseUrlVariable: "GEMINI_BASE_URL",
  // What Google's own tools read.
  place: { keys: ["GOOGLE_GEMINI_BASE_URL"], address: ({ GOOGLE_GEMINI_BASE_URL }) => GOOGLE_GEMINI_BASE_URL || home },
  local: false,
  connect
}
