/**
 * Servers on the user's own machine. They report which models they run; no catalogue knows them. Native tool calls are tried first
 * unless a server's description of the model says that it takes none.
 */
import type { Route } from "../../../services/Route.ts"
import { chat } from "../wires.ts"

const servers = () => import("../queries/LocalServers.ts")

export const llamacpp: Route = {
  name: "llamacpp",
  title: "llama.cpp server",
  wire: "openai-chat",
  keys: ["LLAMACPP_API_KEY"],
  keyOptional: true,
  baseUrl: "http://127.0.0.1:8080/v1",
  baseUrlVariable: "LLAMACPP_BASE_URL",
  local: true,
  connect: chat({}, async () => (await servers()).llamaCpp)
}

export const lmstudio: Route = {
  name: "lmstudio",
  title: "LM Studio",
  wire: "openai-chat",
  keys: ["LMSTUDIO_API_KEY"],
  keyOptional: true,
  baseUrl: "http://127.0.0.1:1234/v1",
  baseUrlVariable: "LMSTUDIO_BASE_URL",
  local: true,
  connect: chat({}, async () => (await servers()).lmStudio)
}

export const ollama: Route = {
  name: "ollama",
  title: "Ollama",
  wire: "openai-chat",
  keys: ["OLLAMA_API_KEY"],
  keyOptional: true,
  baseUrl: "http://127.0.0.1:11434/v1",
  baseUrlVariable: "OLLAMA_BASE_URL",
  local: true,
  connect: chat({}, async () => (await servers()).ollama)
}

export const vllm: Route = {
  name: "vllm",
  title: "vLLM server",
  wire: "openai-chat",
  keys: ["VLLM_API_KEY"],
  keyOptional: true,
  baseUrl: "http://127.0.0.1:8000/v1",
  baseUrlVariable: "VLLM_BASE_URL",
  local: true,
  connect: chat({}, async () => (await servers()).vllm)
}

/** The routes of this file. */
export const local: ReadonlyArray<Route> = [llamacpp, lmstudio, ollama, vllm]
