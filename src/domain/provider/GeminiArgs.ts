/** Arguments of a Gemini call that come by their paths: `{ jsonPath: "$.steps[2].text", stringValue: "…" }`. */
import type * as Schema from "effect/Schema"

export interface PartialArg {
  readonly jsonPath?: string
  readonly stringValue?: string
  readonly numberValue?: number
  readonly boolValue?: boolean
  readonly nullValue?: unknown
  /** The string goes on with the next of its path. */
  readonly willContinue?: boolean
}

/** Normalized paths of RFC 9535, and the shorthand with dots: no wildcards, no filters. */
const steps = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/g

const path = (text: string): ReadonlyArray<string | number> =>
  [...text.matchAll(steps)].map(([, dotted, index, single, double]) =>
    index !== undefined ? Number(index) : dotted ?? (single ?? double ?? "").replace(/\\(.)/g, "$1"))

/** An index far beyond what is there would make a list of holes. */
const furthest = 10_000

/** The arguments with one more piece: a string that is there grows. A path that fits nothing changes nothing. */
export const set = (args: Schema.Json, arg: PartialArg): Schema.Json => put(args, path(arg.jsonPath ?? ""), arg)

const put = (value: Schema.Json | undefined, [key, ...rest]: ReadonlyArray<string | number>, arg: PartialArg): Schema.Json => {
  if (key === undefined) return leaf(value, arg)
  if (typeof key === "number") {
    const items = Array.isArray(value) ? [...value] : []
    if (key > furthest) return items
    for (let at = items.length; at < key; at++) items.push(null)
    items[key] = put(items[key], rest, arg)
    return items
  }
  const object = typeof value === "object" && value !== null && !Array.isArray(value) ? value as Schema.JsonObject : {}
  return { ...object, [key]: put(Object.hasOwn(object, key) ? object[key] : undefined, rest, arg) }
}

const leaf = (value: Schema.Json | undefined, { boolValue, numberValue, stringValue }: PartialArg): Schema.Json =>
  stringValue !== undefined ? (typeof value === "string" ? value : "") + stringValue : numberValue ?? boolValue ?? null
