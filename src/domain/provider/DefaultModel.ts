/** The model that a provider's key selects: the newest of the family that its coding models belong to. */
import * as Order from "effect/Order"
import * as Catalogue from "./Catalogue.ts"
import type { Model } from "./Model.ts"

/** Providers in the order in which their keys are looked for; the others follow. */
export const preferredProviders: ReadonlyArray<string> = ["anthropic", "openai", "gemini", "openrouter"]

/** Their keys are often set for another purpose: they come last. */
export const lastProviders: ReadonlyArray<string> = ["github-models", "huggingface"]

/** By the provider's name in the catalogue, ids of one family; the groups are its version, or its size. */
const families: Readonly<Record<string, RegExp>> = {
  anthropic: /^claude-sonnet-(\d{1,2})(?:-(\d{1,2}))?$/,
  deepseek: /^deepseek-v(\d+)(?:\.(\d+))?-pro$/,
  gemini: /^gemini-(\d+)(?:\.(\d+))?-(?:argon|pro|flash)(?:-preview)?$/,
  groq: /^openai\/gpt-oss-(\d+)b$/,
  minimax: /^MiniMax-M(\d+)(?:\.(\d+))?$/,
  mistral: /^mistral-large-(\d)$/,
  moonshot: /^kimi-k(\d+)(?:\.(\d+))?(?:-pro)?$/,
  openai: /^gpt-(\d+)(?:\.(\d+))?(?:-sol)?$/,
  openrouter: /^anthropic\/claude-sonnet-(\d+)(?:\.(\d+))?$/,
  qwen: /^qwen(\d+)(?:\.(\d+))?-max$/,
  xai: /^grok-(\d+)(?:\.(\d+))?$/,
  zhipu: /^glm-(\d+)(?:\.(\d+))?$/
}

/** An agent's rules, tools and files have to fit. */
const minWindow = 32_000

/** The default model of a provider; the newest one that calls tools where no family is named. Undefined if the catalogue has none. */
export const find = (catalogue: string, routeName = catalogue, entries?: Catalogue.Entries): Model | undefined => {
  const models = Catalogue.models(catalogue, routeName, entries).filter(({ nativeTools, window }) => nativeTools && window >= minWindow)
  const family = families[catalogue]
  const members = family === undefined ? [] : models.flatMap((model) => {
    const match = family.exec(model.id)
    return match === null ? [] : [{ model, version: match.slice(1).map((part) => Number(part ?? 0)) }]
  })
  return members.toSorted(Order.mapInput(Order.flip(Order.Array(Order.Number)), ({ version }) => version))[0]?.model ?? models[0]
}
