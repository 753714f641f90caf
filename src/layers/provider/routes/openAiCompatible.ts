/**
 * Providers that speak one of OpenAI's wires: one row per provider. To add one, add a row (in alphabetical order) and run
 * `npx vitest run test/layers/provider/docs.test.ts -u`.
 */
import type { Quirks } from "../../../domain/provider/OpenAiChat.ts"
import type { Route } from "../../../services/Route.ts"
import type { ModelQueries } from "../queries/QueryServer.ts"
import { chat, responses } from "../wires.ts"

/**
 * - `keys`: environment variables that may hold the API key; the first one that is set wins.
 * - `catalogue`: the provider whose entries in the model catalogue apply, where it has another name.
 * - `wire`: Chat Completions by default.
 * - `earlier`: the wire of sessions that recorded none.
 * - `quirks`: how requests differ from what most servers accept.
 * - `queries`: what the server is asked about its models.
 */
type Row = readonly [
  name: string,
  title: string,
  baseUrl: string,
  baseUrlVariable: string,
  keys: ReadonlyArray<string>,
  options?: {
    readonly keyOptional?: true
    readonly catalogue?: string
    readonly wire?: "openai-responses"
    readonly earlier?: "openai-chat"
    readonly quirks?: Partial<Quirks>
    readonly queries?: () => Promise<ModelQueries>
  }
]

/** The output limit is sent as `max_completion_tokens`. */
const completionTokens = { maxTokens: "max_completion_tokens" } as const

const openAi: Partial<Quirks> = { ...completionTokens, cacheKey: "prompt_cache_key" }

/** Tool call ids are exactly nine letters and digits. Usage is always sent, and `stream_options` is refused. */
const mistral: Partial<Quirks> = { streamUsage: false, ids: { illegal: /[^a-zA-Z0-9]/g, max: 9, exact: true } }

/** Its models are of many providers, and it reports what each of them supports and costs. */
const openRouter = {
  quirks: { cacheMarked: /^anthropic\// },
  queries: async () => (await import("../queries/OpenRouter.ts")).openRouter
} as const

const listedWindows = async () => (await import("../queries/QueryServer.ts")).listedWindows(() => false)

/**
 * Azure and Cloudflare have a base URL per account: `https://<resource>.openai.azure.com/openai/v1` and
 * `https://gateway.ai.cloudflare.com/v1/<account>/<gateway>/compat`. A model id on Azure is the name of its deployment.
 */
const rows: ReadonlyArray<Row> = [
  [
    "azure",
    "Azure OpenAI",
    "",
    "AZURE_OPENAI_BASE_URL",
    ["AZURE_OPENAI_API_KEY", "AZURE_API_KEY"],
    { catalogue: "openai", quirks: completionTokens }
  ],
  ["baseten", "Baseten", "https://inference.baseten.co/v1", "BASETEN_BASE_URL", ["BASETEN_API_KEY"]],
  ["cerebras", "Cerebras", "https://api.cerebras.ai/v1", "CEREBRAS_BASE_URL", ["CEREBRAS_API_KEY"], { quirks: completionTokens }],
  ["cloudflare", "Cloudflare AI Gateway", "", "CLOUDFLARE_GATEWAY_BASE_URL", ["CLOUDFLARE_API_TOKEN"]],
  ["cohere", "Cohere", "https://api.cohere.ai/compatibility/v1", "COHERE_BASE_URL", ["COHERE_API_KEY", "CO_API_KEY"]],
  ["deepinfra", "DeepInfra", "https://api.deepinfra.com/v1/openai", "DEEPINFRA_BASE_URL", ["DEEPINFRA_API_KEY"]],
  ["deepseek", "DeepSeek", "https://api.deepseek.com", "DEEPSEEK_BASE_URL", ["DEEPSEEK_API_KEY"]],
  ["doubao", "Doubao (Volcengine Ark)", "https://ark.cn-beijing.volces.com/api/v3", "ARK_BASE_URL", ["ARK_API_KEY"]],
  ["fireworks", "Fireworks", "https://api.fireworks.ai/inference/v1", "FIREWORKS_BASE_URL", ["FIREWORKS_API_KEY"]],
  ["github-models", "GitHub Models", "https://models.github.ai/inference", "GITHUB_MODELS_BASE_URL", ["GITHUB_TOKEN"]],
  ["groq", "Groq", "https://api.groq.com/openai/v1", "GROQ_BASE_URL", ["GROQ_API_KEY"], { quirks: completionTokens }],
  ["huggingface", "Hugging Face", "https://router.huggingface.co/v1", "HF_BASE_URL", ["HF_TOKEN"]],
  ["hyperbolic", "Hyperbolic", "https://api.hyperbolic.xyz/v1", "HYPERBOLIC_BASE_URL", ["HYPERBOLIC_API_KEY"]],
  ["litellm", "LiteLLM proxy", "http://localhost:4000/v1", "LITELLM_BASE_URL", ["LITELLM_API_KEY"], { keyOptional: true }],
  ["minimax", "MiniMax", "https://api.minimax.io/v1", "MINIMAX_BASE_URL", ["MINIMAX_API_KEY"]],
  ["mistral", "Mistral", "https://api.mistral.ai/v1", "MISTRAL_BASE_URL", ["MISTRAL_API_KEY"], { quirks: mistral }],
  ["moonshot", "Moonshot", "https://api.moonshot.ai/v1", "MOONSHOT_BASE_URL", ["MOONSHOT_API_KEY"]],
  ["nebius", "Nebius", "https://api.tokenfactory.nebius.com/v1", "NEBIUS_BASE_URL", ["NEBIUS_API_KEY"]],
  ["nvidia", "NVIDIA NIM", "https://integrate.api.nvidia.com/v1", "NVIDIA_BASE_URL", ["NVIDIA_API_KEY"]],
  [
    "openai",
    "OpenAI",
    "https://api.openai.com/v1",
    "OPENAI_BASE_URL",
    ["OPENAI_API_KEY"],
    { wire: "openai-responses", earlier: "openai-chat", quirks: openAi }
  ],
  [
    "openai-chat",
    "OpenAI (Chat Completions)",
    "https://api.openai.com/v1",
    "OPENAI_BASE_URL",
    ["OPENAI_API_KEY"],
    { catalogue: "openai", quirks: openAi }
  ],
  [
    "openai-compatible",
    "Any server that speaks OpenAI's Chat Completions",
    "http://localhost:8000/v1",
    "OPENAI_COMPATIBLE_BASE_URL",
    ["OPENAI_COMPATIBLE_API_KEY"],
    { keyOptional: true, queries: listedWindows }
  ],
  [
    "openai-responses",
    "OpenAI (Responses)",
    "https://api.openai.com/v1",
    "OPENAI_BASE_URL",
    ["OPENAI_API_KEY"],
    { catalogue: "openai", wire: "openai-responses" }
  ],
  ["openrouter", "OpenRouter", "https://openrouter.ai/api/v1", "OPENROUTER_BASE_URL", ["OPENROUTER_API_KEY"], openRouter],
  ["perplexity", "Perplexity", "https://api.perplexity.ai", "PERPLEXITY_BASE_URL", ["PERPLEXITY_API_KEY"]],
  [
    "qwen",
    "Qwen (DashScope, international)",
    "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    "DASHSCOPE_BASE_URL",
    ["DASHSCOPE_API_KEY"]
  ],
  [
    "qwen-cn",
    "Qwen (DashScope, China)",
    "https://dashscope.aliyuncs.com/compatible-mode/v1",
    "DASHSCOPE_CN_BASE_URL",
    ["DASHSCOPE_CN_API_KEY", "DASHSCOPE_API_KEY"],
    { catalogue: "qwen" }
  ],
  ["requesty", "Requesty", "https://router.requesty.ai/v1", "REQUESTY_BASE_URL", ["REQUESTY_API_KEY"]],
  ["sambanova", "SambaNova", "https://api.sambanova.ai/v1", "SAMBANOVA_BASE_URL", ["SAMBANOVA_API_KEY"]],
  ["siliconflow", "SiliconFlow", "https://api.siliconflow.com/v1", "SILICONFLOW_BASE_URL", ["SILICONFLOW_API_KEY"]],
  ["together", "Together", "https://api.together.xyz/v1", "TOGETHER_BASE_URL", ["TOGETHER_API_KEY"]],
  ["vercel", "Vercel AI Gateway", "https://ai-gateway.vercel.sh/v1", "AI_GATEWAY_BASE_URL", ["AI_GATEWAY_API_KEY"]],
  ["xai", "xAI", "https://api.x.ai/v1", "XAI_BASE_URL", ["XAI_API_KEY"]],
  ["zhipu", "Zhipu (Z.ai)", "https://api.z.ai/api/paas/v4", "ZHIPU_BASE_URL", ["ZHIPU_API_KEY", "ZAI_API_KEY"]]
]

export const openAiCompatible: ReadonlyArray<Route> = rows.map(
  ([name, title, baseUrl, baseUrlVariable, keys, { keyOptional, catalogue, wire, earlier, quirks, queries } = {}]): Route => ({
    name,
    title,
    wire: wire ?? "openai-chat",
    keys,
    ...(keyOptional === undefined ? {} : { keyOptional }),
    baseUrl,
    baseUrlVariable,
    local: false,
    ...(catalogue === undefined ? {} : { catalogue }),
    ...(earlier === undefined ? {} : { earlier: { wire: earlier, connect: chat(quirks) } }),
    connect: wire === "openai-responses" ? responses : chat(quirks, queries)
  })
)
