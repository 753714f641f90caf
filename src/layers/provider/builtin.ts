/** Every provider that dacapo comes with. A new one is a file and a line here. */
import type { Route } from "../../services/Route.ts"
import { anthropic } from "./routes/anthropic.ts"
import { anthropicBedrock } from "./anthropicBedrock.ts"
import { anthropicCompatible } from "./anthropicCompatible.ts"
import { anthropicVertex } from "./anthropicVertex.ts"
import { azure } from "./azure.ts"
import { baseten } from "./baseten.ts"
import { bedrock } from "./bedrock.ts"
import { cerebras } from "./cerebras.ts"
import { cloudflare } from "./cloudflare.ts"
import { cohere } from "./cohere.ts"
import { deepinfra } from "./deepinfra.ts"
import { deepseek } from "./deepseek.ts"
import { doubao } from "./doubao.ts"
import { fireworks } from "./fireworks.ts"
import { gemini } from "./routes/clouds.ts"
import { geminiVertex } from "./geminiVertex.ts"
import { githubModels } from "./githubModels.ts"
import { groq } from "./groq.ts"
import { huggingface } from "./huggingface.ts"
import { hyperbolic } from "./hyperbolic.ts"
import { litellm } from "./litellm.ts"
import { llamacpp } from "./routes/local.ts"
import { lmstudio } from "./lmstudio.ts"
import { minimax } from "./minimax.ts"
import { mistral } from "./mistral.ts"
import { moonshot } from "./moonshot.ts"
import { nebius } from "./nebius.ts"
import { nvidia } from "./nvidia.ts"
import { ollama } from "./ollama.ts"
import { openai } from "./routes/openAiCompatible.ts"
import { openaiCompatible } from "./openaiCompatible.ts"
import { openaiResponses } from "./openaiResponses.ts"
import { openrouter } from "./routes/openRouter.ts"
import { perplexity } from "./perplexity.ts"
import { qwen } from "./qwen.ts"
import { qwenCn } from "./qwenCn.ts"
import { requesty } from "./requesty.ts"
import { sambanova } from "./sambanova.ts"
import { scripted } from "./routes/scripted.ts"
import { siliconflow } from "./siliconflow.ts"
import { together } from "./together.ts"
import { vercel } from "./vercel.ts"
import { vllm } from "./vllm.ts"
import { xai } from "./xai.ts"
import { zhipu } from "./zhipu.ts"

/** Alphabetical by name. */
export const builtin: ReadonlyArray<Route> = [
  anthropic,
  anthropicBedrock,
  anthropicCompatible,
  anthropicVertex,
  azure,
  baseten,
  bedrock,
  cerebras,
  cloudflare,
  cohere,
  deepinfra,
  deepseek,
  doubao,
  fireworks,
  gemini,
  geminiVertex,
  githubModels,
  groq,
  huggingface,
  hyperbolic,
  litellm,
  llamacpp,
  lmstudio,
  minimax,
  mistral,
  moonshot,
  nebius,
  nvidia,
  ollama,
  openai,
  openaiCompatible,
  openaiResponses,
  openrouter,
  perplexity,
  qwen,
  qwenCn,
  requesty,
  sambanova,
  scripted,
  siliconflow,
  together,
  vercel,
  vllm,
  xai,
  zhipu
]
