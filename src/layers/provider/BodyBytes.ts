/**
 * The JSON text of request bodies in UTF-8, with its digest. A body repeats the messages of the one before it: what both share,
 * by identity, is neither written nor hashed again.
 */
import { createHash, type Hash } from "node:crypto"
import type * as Schema from "effect/Schema"
import { isObject } from "../../domain/Json.ts"

/** The bytes of `JSON.stringify`, and their SHA-256 in hex. */
export interface BodyBytes {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly digest: string
}

/** What the SDKs set for a body that they write themselves. */
export const headers = { "content-type": "application/json" } as const

/** The bytes of a body; computed once. */
export const of = (body: Schema.Json): BodyBytes => {
  if (!isObject(body)) return encode([Buffer.from(JSON.stringify(body))], 0)
  const cached = encoded.get(body)
  if (cached !== undefined) return cached
  const { repeated, texts } = textsOf(body)
  const result = encode(texts, repeated)
  encoded.set(body, result)
  return result
}

const encoded = new WeakMap<object, BodyBytes>()

/** A body of which only the digest is known, as a log has it. It can't be sent. */
export const ofDigest = (digest: string): Schema.Json => {
  const body = {}
  encoded.set(body, { bytes: new Uint8Array(), digest })
  return body
}

type Fields = Readonly<Record<string, Schema.Json | undefined>>

/** The texts of items of lists, which are messages and tools. */
const itemTexts = new WeakMap<Schema.JsonObject, Buffer>()
const comma = Buffer.from(",")

/** A body in pieces, in their order. The first `repeated` of them, which end with an item, may be those of an earlier body. */
const textsOf = (body: Schema.JsonObject): { readonly texts: ReadonlyArray<Buffer>; readonly repeated: number } => {
  const texts: Array<Buffer> = []
  let repeated = 0
  let hasNew = false
  let between = "{"
  for (const [name, value] of Object.entries(body as Fields)) {
    if (value === undefined) continue
    between += `${between === "{" ? "" : ","}${JSON.stringify(name)}:`
    if (!Array.isArray(value) || !value.every(isObject)) {
      between += JSON.stringify(value)
      continue
    }
    texts.push(Buffer.from(`${between}[`))
    for (const [i, item] of value.entries()) {
      const cached = itemTexts.get(item)
      const text = cached ?? Buffer.from(JSON.stringify(item))
      if (cached === undefined) itemTexts.set(item, text)
      if (i > 0) texts.push(comma)
      texts.push(text)
      hasNew ||= cached === undefined && repeated > 0
      if (cached !== undefined && !hasNew) repeated = texts.length
    }
    between = "]"
  }
  return { texts: [...texts, Buffer.from(`${between}}`)], repeated }
}

/** The digest of the first pieces of a body, which can be continued. */
interface Prefix {
  readonly texts: ReadonlyArray<Buffer>
  readonly hash: Hash
}

/** By the last piece. Only the newest of a conversation is kept. */
const prefixes = new WeakMap<Buffer, Prefix>()

const encode = (texts: ReadonlyArray<Buffer>, repeated: number): BodyBytes => {
  const last = texts.slice(0, repeated).findLast((text) => prefixes.has(text))
  const prefix = last === undefined ? undefined : prefixes.get(last)
  const continues = prefix?.texts.every((text, i) => text === texts[i] || text.equals(texts[i]!)) === true
  const from = continues ? prefix.texts.length : 0
  const hash = continues ? prefix.hash.copy() : createHash("sha256")
  for (const text of texts.slice(from, repeated)) hash.update(text)
  if (repeated > from) {
    if (last !== undefined) prefixes.delete(last)
    prefixes.set(texts[repeated - 1]!, { hash: hash.copy(), texts: texts.slice(0, repeated) })
  }
  for (const text of texts.slice(repeated)) hash.update(text)
  return { bytes: Buffer.concat(texts), digest: hash.digest("hex") }
}
