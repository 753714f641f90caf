/**
 * What is known of models: a snapshot of models.dev's data (MIT), with its date, in that site's own shape; entries that
 * are newer say where their figures come from, and their release dates are no more than an order. A model
 * that nobody described gets careful defaults.
 */
import * as Order from "effect/Order"
import snapshot from "./catalogue.json" with { type: "json" }
import type { Model } from "./Model.ts"
import { efforts, type Effort } from "./ModelRequest.ts"
import { near } from "./SimilarNames.ts"

/** A model as models.dev tells it; money in USD per million tokens. */
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
    /** How older data told the one tier that there was. */
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

export type Entries = Readonly<Record<string, { readonly id: string; readonly name: string; readonly models: Readonly<Record<string, Entry>> }>>

/** When the snapshot was taken, as YYYY-MM-DD. */
export const date: string = snapshot.date
export const vendored: Entries = snapshot.providers as unknown as Entries

/** `provider/model[:effort]`, taken apart. Only a known effort counts as one: local models have colons of their own. */
export interface Name {
  readonly provider: string
  readonly id: string
  readonly effort?: Effort
}

export const parse = (name: string): Name => {
  const slash = name.indexOf("/")
  const provider = slash === -1 ? "" : name.slice(0, slash)
  const rest = name.slice(slash + 1)
  const colon = rest.lastIndexOf(":")
  const effort = efforts.find((effort) => colon > 0 && effort === rest.slice(colon + 1))
  return effort === undefined ? { provider, id: rest } : { provider, id: rest.slice(0, colon), effort }
}

const flag = (value: boolean | undefined, otherwise: boolean): boolean => value ?? otherwise

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
    ...(effort === undefined ? {} : { effort }),
    ...(typeof entry.interleaved === "object" ? { echo: entry.interleaved.field } : {})
  }
}

const ratesOf = ({ cache_read, cache_write, input, output, reasoning }: Rates) => ({
  input,
  output,
  ...(cache_read === undefined ? {} : { cacheRead: cache_read }),
  ...(cache_write === undefined ? {} : { cacheWrite: cache_write }),
  ...(reasoning === undefined || reasoning === output ? {} : { reasoning })
})

const priceOf = (cost: NonNullable<Entry["cost"]>): NonNullable<Model["price"]> => {
  const old = cost.context_over_200k
  const told = cost.tiers ?? (old === undefined ? [] : [{ ...old, tier: { size: 200_000 } }])
  const tiers = told.filter(({ tier }) => tier.type === undefined || tier.type === "context")
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
    : { kind: "budget", min: budget.min ?? 1024, ...(budget.max === undefined ? {} : { max: budget.max }) }
}

/** A model of one provider; `as` names the route that speaks to it, where that has another name. */
export const find = (provider: string, id: string, as = provider, entries: Entries = vendored): Model | undefined => {
  const entry = entries[provider]?.models[id]
  return entry === undefined ? undefined : toModel(as, entry)
}

/** The share of a window that is planned with where nobody knows how its model counts. */
const loose = 0.85

/** For a model that nobody described: `window` is what its server reports, if it does. */
export const assumed = (provider: string, id: string, options: { readonly local: boolean; readonly window?: number }): Model => ({
  provider,
  id,
  name: id,
  window: options.window ?? (options.local ? 8_192 : 128_000),
  maxOutput: 4_096,
  nativeTools: false,
  reasoning: false,
  images: false,
  documents: false,
  temperature: true,
  margin: loose,
  assumed: true
})

/** Models of one provider, the newest first. */
export const models = (provider: string, as = provider, entries: Entries = vendored): ReadonlyArray<Model> =>
  Object.values(entries[provider]?.models ?? {}).toSorted(newest).map((entry) => toModel(as, entry))

/** By code units, not by a locale, whose rules take 10 ms to load. */
const newest = Order.combine(
  Order.mapInput(Order.flip(Order.String), ({ release_date = "" }: Entry) => release_date),
  Order.mapInput(Order.String, ({ id }: Entry) => id)
)

/**
 * The model that a word stands for which an agent's file has in place of a name (`sonnet`, `gemini-2.5-pro`): of the provider of
 * the `usual` model, the one of that id, else the newest whose id has the word as a part. Undefined for `inherit`, and where no
 * such model is known; a name of provider and model stands for itself.
 */
export const meant = (word: string | undefined, usual: string | undefined, entries: Entries = vendored): string | undefined => {
  if (word === undefined || word === "inherit") return undefined
  if (word.includes("/") || usual === undefined) return word.includes("/") ? word : undefined
  const { provider } = parse(usual)
  const known = models(provider, provider, entries).map(({ id }) => id)
  const id = known.find((id) => id === word) ?? known.find((id) => id.split(/[-.:/]/).includes(word))
  return id === undefined ? undefined : `${provider}/${id}`
}

/**
 * The cheapest of these models that holds at least as much and costs less, by what a summary costs: mostly input.
 * Undefined where there is none, or where this model has no price.
 */
export const cheaper = (model: Model, others: ReadonlyArray<Model>): Model | undefined => {
  const bill = ({ price }: Model) => price === undefined ? 0 : 4 * price.input + price.output
  const [first] = others.filter((one) => one.window >= model.window && bill(one) > 0).toSorted((a, b) => bill(a) - bill(b))
  return first !== undefined && bill(first) < bill(model) ? first : undefined
}

/** Full names near to one that is not known: of the same provider where there is one, else of all. */
export const nearby = (name: string, providers: ReadonlyArray<string>, entries: Entries = vendored): ReadonlyArray<string> => {
  const { id, provider } = parse(name)
  const full = (provider: string) => Object.keys(entries[provider]?.models ?? {}).map((id) => `${provider}/${id}`)
  if (providers.includes(provider)) return near(`${provider}/${id}`, full(provider))
  const known = near(provider, providers).map((provider) => `${provider}/${id}`)
  return known.length > 0 ? known : near(id, providers.flatMap(full))
}
