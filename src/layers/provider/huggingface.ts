/** Open models through Hugging Face's router. */
import type { Route } from "../../services/Route.ts"
import { chat } from "./sdk/OpenAiSdk.ts"

export const huggingface: Route = {
  name: "huggingface",
  title: "Hugging Face",
  wire: "openai-chat",
  keys: ["HF_TOKEN"],
  baseUrl: "https://router.huggingface.co/v1",
  baseUrlVariable: "HF_BASE_URL",
  local: false,
  connect: chat()
}
