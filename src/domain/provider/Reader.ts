/**
 * Lenient readers for data from a server: a field of an unexpected type counts as absent. Every event of every wire goes
 * through these readers, so that no step can fail and no chunk can hold a value of the wrong type.
 */
import type * as Schema from "effect/Schema"

/** The value as the expected type; undefined if it is something else. */
export type Reader<A> = (value: unknown) => A | undefined

type Shape = Readonly<Record<string, Reader<unknown>>>

/** The type that a reader returns. */
export type Value<R> = R extends Reader<infer A> ? A : never

/** A JSON object. */
export type Fields = Readonly<Record<string, Schema.Json>>

/** Some servers send numbers as ids. */
export const text: Reader<string> = (value) => typeof value === "string" ? value : typeof value === "number" ? String(value) : undefined

/** An index in a list. */
export const index: Reader<number> = (value) => Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined

/** Only the literal `true` counts. */
export const flag: Reader<true> = (value) => value === true ? true : undefined

/** A token count. A value that is present but not a number reads as NaN, which `UsageChunk` rejects: it must not count as zero. */
export const count: Reader<number> = (value) =>
  value === undefined || value === null ? undefined
    : typeof value === "number" ? value
    : typeof value === "string" && /^\d+$/.test(value) ? Number(value)
    : Number.NaN

export const json: Reader<Schema.Json> = (value) => value === null ? undefined : value as Schema.Json | undefined

export const fields: Reader<Fields> = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value as Fields : undefined

/** Items of another type are dropped. */
export const list = <A>(item: Reader<A>): Reader<ReadonlyArray<A>> => (value) =>
  Array.isArray(value) ? value.flatMap((entry) => {
    const value = item(entry)
    return value === undefined ? [] : [value]
  }) : undefined

export const record = <S extends Shape>(shape: S): Reader<{ readonly [K in keyof S]?: Value<S[K]> }> => {
  const readers = Object.entries(shape)
  return (value) => {
    const values = fields(value)
    if (values === undefined) return undefined
    const result: Record<string, unknown> = {}
    for (const [name, reader] of readers) {
      const field = reader(values[name])
      if (field !== undefined) result[name] = field
    }
    return result as { readonly [K in keyof S]?: Value<S[K]> }
  }
}
