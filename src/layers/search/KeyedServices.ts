/** The services for searches that take a key of their own, and not that of a provider of models. */
import { wires } from "../../domain/search/EmbeddingWire.ts"
import { builtin as providers } from "../provider/builtin.ts"
import { builtin } from "./builtin.ts"

/** `keys` are the variables that hold its key, the preferred one first. */
export interface KeyedService {
  readonly name: string
  readonly title: string
  readonly keys: ReadonlyArray<string>
}

const providerKeys = new Set(providers.flatMap(({ keys }) => keys))

/** By name. */
export const keyedServices: ReadonlyArray<KeyedService> = [
  ...builtin.map(({ keys, name, title }) => ({ name, title, keys })),
  ...Object.entries(wires).map(([name, { keys, title }]) => ({ name, title, keys }))
].filter(({ keys }) => keys.length > 0 && !keys.some((key) => providerKeys.has(key))).sort((a, b) => a.name < b.name ? -1 : 1)

/** The variables of the keys of every provider and service. */
export const keyNames: ReadonlySet<string> = new Set([...providerKeys, ...keyedServices.flatMap(({ keys }) => keys)])
