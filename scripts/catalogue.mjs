/**
 * `npm run catalogue`: writes src/domain/provider/catalogue.json anew, from the model data that a package of the npm registry
 * carries (@earendil-works/pi-ai, MIT, generated from models.dev), or from models.dev's own list where a file with it is named:
 * `npm run catalogue -- api.json`. What neither source says about a model stays as it was: a model that was dropped from a list
 * may still be served. Prices are compared with those of @pydantic/genai-prices: where they differ the higher one is taken, so
 * that a budget holds.
 *
 * `npm run catalogue -- --check` fails if the catalogue is older than 30 days.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { calcPrice } from "@pydantic/genai-prices"
import { read as readModelsDev } from "../src/domain/provider/ModelsDev.ts"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const file = join(root, "src/domain/provider/catalogue.json")
const old = JSON.parse(readFileSync(file, "utf8"))

/** The package and the version whose data is used. */
const source = { name: "@earendil-works/pi-ai", version: "1.5.2" }

/** Our providers and their names in the package. OpenRouter describes its models itself: only the ones that a default is chosen from. */
const providers = {
  anthropic: "anthropic",
  baseten: "baseten",
  cerebras: "cerebras",
  deepseek: "deepseek",
  fireworks: "fireworks",
  gemini: "google",
  groq: "groq",
  huggingface: "huggingface",
  minimax: "minimax",
  mistral: "mistral",
  moonshot: "moonshotai",
  openai: "openai",
  openrouter: "openrouter",
  together: "together",
  xai: "xai",
  zhipu: "zai"
}
const openRouterDefaults = /^anthropic\/[^:]+$/

/** Providers whose models read PDF files wherever they see images; the package does not say. */
const readsPdf = new Set(["anthropic", "gemini", "openai"])

/** Where an effort that the package names is sent as it is. */
const takesEffort = ({ api, compat = {} }) => compat.supportsReasoningEffort !== false && (api !== "anthropic-messages" || compat.forceAdaptiveThinking === true)

const reasoningOptions = (model) => {
  if (!model.reasoning) return []
  if (model.api === "anthropic-messages" && model.compat?.forceAdaptiveThinking !== true) return [{ type: "budget_tokens", min: 1024 }]
  if (!takesEffort(model)) return [{ type: "toggle" }]
  const { off, ...levels } = { minimal: "minimal", low: "low", medium: "medium", high: "high", xhigh: null, max: null, ...model.thinkingLevelMap }
  const values = [off, levels.minimal, levels.low, levels.medium, levels.high, levels.xhigh, levels.max]
  return [{ type: "effort", values: [...new Set(values.filter((value) => typeof value === "string").map((value) => value.toLowerCase()))] }]
}

const rates = ({ cacheRead, cacheWrite, input, output }) => ({
  input,
  output,
  ...(cacheRead > 0 ? { cache_read: cacheRead } : {}),
  ...(cacheWrite > 0 ? { cache_write: cacheWrite } : {})
})

const cost = ({ tiers = [], ...price }) =>
  price.input === 0 && price.output === 0 ? undefined : {
    ...rates(price),
    ...(tiers.length === 0 ? {} : { tiers: tiers.map(({ inputTokensAbove, ...tier }) => ({ ...rates(tier), tier: { type: "context", size: inputTokensAbove } })) })
  }

/** An entry from the package's data, over the entry that was there. */
const entryOf = (provider, model, before, date) => {
  const images = model.input.includes("image")
  const listed = cost(model.cost)
  const price = listed === undefined ? before?.cost : { ...(before?.cost?.tiers === undefined ? {} : { tiers: before.cost.tiers }), ...listed }
  return {
    id: model.id,
    name: model.name,
    reasoning: model.reasoning,
    tool_call: true,
    temperature: before?.temperature ?? !(model.compat?.supportsTemperature === false || (provider === "openai" && model.reasoning)),
    reasoning_options: before?.reasoning_options ?? reasoningOptions(model),
    release_date: before?.release_date ?? date,
    ...(model.compat?.requiresReasoningContentOnAssistantMessages === true ? { interleaved: { field: "reasoning_content" } }
      : before?.interleaved === undefined ? {} : { interleaved: before.interleaved }),
    modalities: before?.modalities ?? { input: [...model.input, ...(images && readsPdf.has(provider) ? ["pdf"] : [])] },
    limit: { ...before?.limit, context: model.contextWindow, output: model.maxTokens },
    ...(price === undefined ? {} : { cost: price })
  }
}

const fromPackage = () => {
  const folder = mkdtempSync(join(tmpdir(), "dacapo-catalogue-"))
  try {
    const npm = (...args) => execFileSync("npm", args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })
    const spec = `${source.name}@${source.version}`
    const date = JSON.parse(npm("view", spec, "time", "--json"))[source.version].slice(0, 10)
    const [{ filename }] = JSON.parse(npm("pack", spec, "--json"))
    execFileSync("tar", ["-xzf", filename], { cwd: folder })
    const models = (name) => {
      const data = JSON.parse(readFileSync(join(folder, "package/dist/providers/data", `${name}.json`), "utf8"))
      return Object.values(data).flatMap((api) => Object.values(api)).filter(({ type }) => type === "chat")
    }
    const entries = Object.entries(providers).map(([provider, name]) => {
      const before = old.providers[provider]?.models ?? {}
      const listed = models(name).filter(({ id }) => provider !== "openrouter" || openRouterDefaults.test(id))
      return [provider, Object.fromEntries(listed.map((model) => [model.id, entryOf(provider, model, before[model.id], date)]))]
    })
    return { date, entries: Object.fromEntries(entries) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const fromModelsDev = (path) => {
  if (!existsSync(path)) throw new Error(`${path} does not exist.`)
  const read = readModelsDev(JSON.parse(readFileSync(path, "utf8")), [...new Set([...Object.keys(old.providers), ...Object.keys(providers)])])
  const entries = Object.fromEntries(Object.entries(read).map(([provider, { models }]) => [provider, models]))
  return { date: statSync(path).mtime.toISOString().slice(0, 10), entries }
}

/** genai-prices' names of our providers, where they differ. */
const priceProviders = { gemini: "google", moonshot: "moonshotai", xai: "x-ai", zhipu: "zai" }

/** Charged by the request as well, which the package counts as tokens. */
const chargesRequests = new Set(["perplexity"])

/** The rates of a model from genai-prices in USD per million tokens, at an hour when those that depend on the hour are high. */
const ratesOf = (provider, id, date) => {
  if (chargesRequests.has(provider)) return undefined
  const busy = new Date(`${date}T02:00:00Z`)
  const rate = (usage) =>
    Math.round((calcPrice({ input_tokens: 0, output_tokens: 0, ...usage }, id, { providerId: priceProviders[provider] ?? provider, timestamp: busy })?.total_price ?? 0) * 1e9) / 1e6
  try {
    const [input, output] = [rate({ input_tokens: 1000 }), rate({ output_tokens: 1000 })]
    return input + output === 0 ? undefined : {
      input,
      output,
      cache_read: rate({ input_tokens: 1000, cache_read_tokens: 1000 }),
      cache_write: rate({ input_tokens: 1000, cache_write_tokens: 1000 })
    }
  } catch {
    return undefined
  }
}

/** The higher of both prices, rate by rate; a rate that is missing is that of the input. */
const higher = (price, other) => {
  if (price === undefined || other === undefined) return price ?? other
  const rate = (name) => Math.max(price[name] ?? price.input, other[name])
  return { ...price, ...Object.fromEntries(Object.keys(other).map((name) => [name, rate(name)]).filter(([name, usd]) => price[name] !== undefined || usd !== price.input)) }
}

const maxAgeDays = 30
if (process.argv[2] === "--check") {
  const days = Math.floor((Date.now() - Date.parse(old.date)) / 86_400_000)
  console.log(`The model catalogue is of ${old.date}, ${days} days ago.`)
  if (days > maxAgeDays) {
    console.error(`It is older than ${maxAgeDays} days: run \`npm run catalogue\` with a newer version of ${source.name}.`)
    process.exit(1)
  }
  process.exit(0)
}

const { date, entries } = process.argv[2] === undefined ? fromPackage() : fromModelsDev(process.argv[2])
const names = [...new Set([...Object.keys(old.providers), ...Object.keys(entries)])].toSorted()
const lines = names.map((provider) => {
  const models = { ...old.providers[provider]?.models, ...entries[provider] }
  const rows = Object.values(models).map(({ attachment: _, source: __, ...model }) => {
    const price = higher(model.cost, ratesOf(provider, model.id, date))
    return `  ${JSON.stringify(model.id)}: ${JSON.stringify({ ...model, ...(price === undefined ? {} : { cost: price }) })}`
  })
  const name = old.providers[provider]?.name ?? (provider === "openrouter" ? "OpenRouter" : provider)
  return `${JSON.stringify(provider)}: {"id": ${JSON.stringify(provider)}, "name": ${JSON.stringify(name)}, "models": {\n${rows.join(",\n")}\n}}`
})
writeFileSync(file, `{"source": "models.dev (MIT, copyright 2025 models.dev)", "date": "${date}", "providers": {\n${lines.join(",\n")}\n}}\n`)
console.log(`${file}: ${names.length} providers, ${date}`)
