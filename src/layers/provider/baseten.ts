/** Open models at Baseten. */
import type { Route } from "../../services/Route.ts"
import { chat } from "./sdk/OpenAiSdk.ts"

export const baseten: Route = {
  name: "baseten",
  title: "Baseten",
  wire: "openai-chat",
  keys: ["BASETEN_API_KEY"],
  baseUrl: "https://inference.baseten.co/v1",
  baseUrlVariable: "BASETEN_BASE_URL",
  local: false,
  connect: chat()
}
