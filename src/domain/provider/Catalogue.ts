/**
 * The model catalogue: a dated snapshot of models.dev's data (MIT) in the site's own format, written by scripts/catalogue.mjs.
 * The release date of a model that came without one is the date of the first snapshot that had it: it only defines an order.
 */
import * as Order from "effect/Order"
import { optional } from "../Optional.ts"
import snapshot from "./catalogue.json" with { type: "json" }
import { type Model, parseName as parse } from "./Model.ts"
import { similarNames } from "./SimilarNames.ts"

export { assumed, type Name, parseName as parse } from "./Model.ts"

/** A model as models.dev describes it. Prices are in USD per million tokens. */
export interface Entry {
  readonly id: string
  readonly name: string
  readonly attachment?: boolean
  readonly reasoning?: boolean
  readonly tool_call?: boolean
  readonly temperature?: boolean
  readonly release_date?: string
  readonly reasoning_options?: ReadonlyArray<{
    readonly type: string
    readonly values?: ReadonlyArray<string | null>
    readonly min?: number
    readonly max?: number
  }>
  readonly interleaved?: boolean | { readonly field: string }
  readonly modalities?: { readonly input: ReadonlyArray<string> }
  readonly limit: { readonly context: number; readonly input?: number; readonly output: number }
  readonly cost?: Rates & {
    readonly tiers?: ReadonlyArray<Rates & { readonly tier: { readonly type?: string; readonly size: number } }>
    /** The single tier of the older format. */
    readonly context_over_200k?: Rates
  }
}

interface Rates {
  readonly input: number
  readonly output: number
  readonly reasoning?: number
  readonly cache_read?: number
  readonly cache_write?: number
}

export type Entries = Readonly<
  Record<string, { readonly id: string; readonly name: string; readonly models: Readonly<Record<string, Entry>> }>
>

/** The date of the snapshot, as YYYY-MM-DD. */
export const date: string = snapshot.date
export const vendored: Entries = snapshot.providers as unknown as Entries

const flag = (value: boolean | undefined, fallback: boolean): boolean => value ?? fallback

export const toModel = (provider: string, entry: Entry): Model => {
  const input = entry.modalities?.input ?? ["text"]
  const effort = effortOf(entry)
  return {
    provider,
    id: entry.id,
    name: entry.name,
    window: entry.limit.input === undefined ? entry.limit.context : Math.min(entry.limit.context, entry.limit.input + entry.limit.output),
    maxOutput: entry.limit.output,
    nativeTools: flag(entry.tool_call, false),
    reasoning: flag(entry.reasoning, false),
    images: input.includes("image"),
    documents: input.includes("pdf"),
    temperature: flag(entry.temperature, true),
    ...(entry.cost === undefined ? {} : { price: priceOf(entry.cost) }),
    ...optional({ effort }),
    ...(typeof entry.interleaved === "object" ? { echo: entry.interleaved.field } : {})
  }
}

const ratesOf = ({ cache_read, cache_write, input, output, reasoning }: Rates) => ({
  input,
  output,
  ...optional({ cacheRead: cache_read, cacheWrite: cache_write }),
  ...(reasoning === undefined || reasoning === output ? {} : { reasoning })
})

const priceOf = (cost: NonNullable<Entry["cost"]>): NonNullable<Model["price"]> => {
  const legacyTier = cost.context_over_200k
  const tierEntries = cost.tiers ?? (legacyTier === undefined ? [] : [{ ...legacyTier, tier: { size: 200_000 } }])
  const tiers = tierEntries.filter(({ tier }) => tier.type === undefined || tier.type === "context")
    .map(({ tier, ...rates }) => ({ above: tier.size, ...ratesOf(rates) }))
    .toSorted((a, b) => a.above - b.above)
  return { ...ratesOf(cost), ...(tiers.length === 0 ? {} : { tiers }) }
}

const effortOf = ({ reasoning_options: options = [] }: Entry): Model["effort"] => {
  const named = options.find(({ type }) => type === "effort")
  if (named?.values !== undefined) return { kind: "named", values: named.values.filter((value) => value !== null) }
  const budget = options.find(({ type }) => type === "budget_tokens")
  return budget === undefined
    ? undefined
    : { kind: "budget", min: budget.min ?? 1024, ...optional({ max: budget.max }) }
}

/** A model of one provider. `routeName` names the route to it, if that differs from the provider. */
export const find = (provider: string, id: string, routeName = provider, entries: Entries = vendored): Model | undefined => {
  const entry = entries[provider]?.models[id]
  return entry === undefined ? undefined : toModel(routeName, entry)
}

/** The models of one provider, newest first. */
export const models = (provider: string, routeName = provider, entries: Entries = vendored): ReadonlyArray<Model> =>
  Object.values(entries[provider]?.models ?? {}).toSorted(newest).map((entry) => toModel(routeName, entry))

/** Compares code units: loading a locale's rules takes 10 ms. */
const newest = Order.combine(
  Order.mapInput(Order.flip(Order.String), ({ release_date = "" }: Entry) => release_date),
  Order.mapInput(Order.String, ({ id }: Entry) => id)
)

/**
 * Resolves an alias in an agent profile (`sonnet`, `gemini-2.5-pro`) to a model of the current model's provider: the one with
 * that id, else the newest one whose id contains the alias as a part. Undefined for `inherit` and for an unknown alias; a full
 * name of provider and model is returned as it is.
 */
export const resolveAlias = (
  alias: string | undefined,
  currentModel: string | undefined,
  entries: Entries = vendored
): string | undefined => {
  if (alias === undefined || alias === "inherit") return undefined
  if (alias.includes("/") || currentModel === undefined) return alias.includes("/") ? alias : undefined
  const { provider } = parse(currentModel)
  const ids = models(provider, provider, entries).map(({ id }) => id)
  const id = ids.find((id) => id === alias) ?? ids.find((id) => id.split(/[-.:/]/).includes(alias))
  return id === undefined ? undefined : `${provider}/${id}`
}

/**
 * The cheapest of these models that has at least the same window and costs less. The price is weighted like a summary: mostly
 * input. Undefined if there is none, or if this model has no price.
 */
export const cheaperModel = (model: Model, otherModels: ReadonlyArray<Model>): Model | undefined => {
  const weightedPrice = ({ price }: Model) => price === undefined ? 0 : 4 * price.input + price.output
  const [first] = otherModels.filter((candidate) => candidate.window >= model.window && weightedPrice(candidate) > 0).toSorted((a, b) =>
    weightedPrice(a) - weightedPrice(b)
  )
  return first !== undefined && weightedPrice(first) < weightedPrice(model) ? first : undefined
}

/** Names similar to an unknown one: of the same provider if that exists, else of all providers. */
export const similarModels = (name: string, providers: ReadonlyArray<string>, entries: Entries = vendored): ReadonlyArray<string> => {
  const { id, provider } = parse(name)
  const fullNames = (provider: string) => Object.keys(entries[provider]?.models ?? {}).map((id) => `${provider}/${id}`)
  if (providers.includes(provider)) return similarNames(`${provider}/${id}`, fullNames(provider))
  const similarProviders = similarNames(provider, providers).map((provider) => `${provider}/${id}`)
  return similarProviders.length > 0 ? similarProviders : similarNames(id, providers.flatMap(fullNames))
}
