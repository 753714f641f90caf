/** What a scripted server needs to know of a wire: what it rejects, and how it writes a response. */
import type { StopReason } from "../../../domain/message/Chunk.ts"
import type { Turn } from "../../../domain/provider/Script.ts"

/** A request as received. `body` is its JSON, undefined if it is invalid. */
export interface WireRequest {
  readonly method: string
  readonly path: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
  readonly body: unknown
}

/**
 * One rule of the real service, in its own words. `refuses` returns the message, or undefined for a request that
 * satisfies it; `type` and `param` go where the wire's error body has them.
 */
export interface Rule {
  readonly name: string
  readonly status: number
  readonly type?: string
  readonly param?: string
  readonly refuses: (request: WireRequest) => string | undefined
}

export interface Wire {
  readonly name: string
  /** In the order in which the service checks. */
  readonly refusals: ReadonlyArray<Rule>
  readonly error: (status: number, message: string, rule?: Rule) => unknown
  readonly errorHeaders?: (status: number, rule?: Rule) => Readonly<Record<string, string>>
  /** Server-sent events by default. */
  readonly contentType?: string
  /** The substitute for a reason that the wire has no name for. */
  readonly stopReasons?: Partial<Readonly<Record<StopReason, StopReason>>>
  /** The complete frames of a response: text with its blank line, or bytes. */
  readonly frames: (turn: ScriptedTurn, request: WireRequest) => ReadonlyArray<string | Uint8Array>
}

/** A turn as a server streams it. `interleaved`: the fragments of several calls are mixed. */
export type ScriptedTurn = Turn & { readonly interleaved?: boolean }

/** The first rule that rejects the request. */
export const refusal = (wire: Wire, request: WireRequest): { readonly rule: Rule; readonly message: string } | undefined => {
  for (const rule of wire.refusals) {
    const message = rule.refuses(request)
    if (message !== undefined) return { rule, message }
  }
  return undefined
}

/** Any JSON, to examine without knowing its shape. */
export type UnknownRecord = Readonly<Record<string, unknown>>
export const record = (value: unknown): UnknownRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value as UnknownRecord : {}
export const list = (value: unknown): ReadonlyArray<UnknownRecord> => Array.isArray(value) ? value.map(record) : []
export const fields = (request: WireRequest): UnknownRecord => record(request.body)
export const messagesOf = (request: WireRequest): ReadonlyArray<UnknownRecord> => list(fields(request).messages)

/** The first sentence among the values. */
export const firstMessage = <A>(values: ReadonlyArray<A>, f: (value: A, i: number) => string | undefined): string | undefined => {
  for (const [i, value] of values.entries()) {
    const message = f(value, i)
    if (message !== undefined) return message
  }
  return undefined
}

/** The value that occurs twice. */
export const firstDuplicate = (values: ReadonlyArray<string>): string | undefined => values.find((value, i) => values.indexOf(value) !== i)

/** Whether a text is base64, padded or not: no character is out of place. A pattern of all of it runs out of stack in V8. */
export const isBase64 = (text: string): boolean => text !== "" && !/[^A-Za-z0-9+/=]|^=|=(?!=?$)/.test(text)

/** Whether a text is a `data:` URL of an image that OpenAI takes. */
export const isImageUrl = (text: string): boolean => {
  const [head = ""] = /^data:image\/(?:png|jpeg|gif|webp);base64,/.exec(text) ?? []
  return head !== "" && isBase64(text.slice(head.length))
}

/** The longer side of a PNG, in pixels; 0 for anything else. */
export const pngSide = (base64: string): number => {
  const head = Buffer.from(base64.slice(0, 64), "base64")
  return head.length < 24 || head.toString("latin1", 1, 4) !== "PNG" ? 0 : Math.max(head.readUInt32BE(16), head.readUInt32BE(20))
}

/** Text in pieces of a few characters, as models send it. */
export const pieces = (text: string, size = 12): ReadonlyArray<string> => {
  const points = [...text]
  return Array.from({ length: Math.ceil(points.length / size) }, (_, i) => points.slice(i * size, (i + 1) * size).join(""))
}

/** Several lists, one element of each in turn. */
export const interleave = <A>(lists: ReadonlyArray<ReadonlyArray<A>>): ReadonlyArray<A> =>
  Array.from(
    { length: Math.max(0, ...lists.map(({ length }) => length)) },
    (_, i) => lists.flatMap((list) => i < list.length ? [list[i]!] : [])
  ).flat()
