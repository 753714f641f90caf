/** What a scripted server needs to know of a wire: what it refuses, and how it writes an answer. */
import type { StopReason } from "../../../domain/message/Chunk.ts"
import type { Turn } from "../../../domain/provider/Script.ts"

/** A request as it came. `body` is its JSON, undefined where it is none. */
export interface Asked {
  readonly method: string
  readonly path: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
  readonly body: unknown
}

/**
 * One thing that the real service refuses, in its own words. `refuses` gives the message, or undefined for a request
 * that is fine in this respect; `type` and `param` go where the wire's error body has them.
 */
export interface Rule {
  readonly name: string
  readonly status: number
  readonly type?: string
  readonly param?: string
  readonly refuses: (asked: Asked) => string | undefined
}

export interface Wire {
  readonly name: string
  /** In the order in which the service checks. */
  readonly refusals: ReadonlyArray<Rule>
  readonly error: (status: number, message: string, rule?: Rule) => unknown
  readonly errorHeaders?: (status: number, rule?: Rule) => Readonly<Record<string, string>>
  /** Server-sent events, where it says nothing else. */
  readonly contentType?: string
  /** What is told in place of a reason that the wire has no word for. */
  readonly stands?: Partial<Readonly<Record<StopReason, StopReason>>>
  /** The frames of an answer, whole: text with its blank line, or bytes. */
  readonly frames: (turn: Answered, asked: Asked) => ReadonlyArray<string | Uint8Array>
}

/** A turn as a server streams it. `interleaved`: the fragments of several calls come mixed. */
export type Answered = Turn & { readonly interleaved?: boolean }

/** The first rule that refuses. */
export const refusal = (wire: Wire, asked: Asked): { readonly rule: Rule; readonly message: string } | undefined => {
  for (const rule of wire.refusals) {
    const message = rule.refuses(asked)
    if (message !== undefined) return { rule, message }
  }
  return undefined
}

/** Any JSON, to look into without being sure of its shape. */
export type Loose = Readonly<Record<string, unknown>>
export const record = (value: unknown): Loose => typeof value === "object" && value !== null && !Array.isArray(value) ? value as Loose : {}
export const list = (value: unknown): ReadonlyArray<Loose> => Array.isArray(value) ? value.map(record) : []
export const fields = (asked: Asked): Loose => record(asked.body)
export const messagesOf = (asked: Asked): ReadonlyArray<Loose> => list(fields(asked).messages)

/** The first sentence that one of the values gives. */
export const first = <A>(values: ReadonlyArray<A>, f: (value: A, i: number) => string | undefined): string | undefined => {
  for (const [i, value] of values.entries()) {
    const told = f(value, i)
    if (told !== undefined) return told
  }
  return undefined
}

/** The value that stands twice. */
export const twice = (values: ReadonlyArray<string>): string | undefined => values.find((value, i) => values.indexOf(value) !== i)

/** The longer side of a PNG, in pixels; 0 for what is none. */
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
  Array.from({ length: Math.max(0, ...lists.map(({ length }) => length)) }, (_, i) => lists.flatMap((list) => i < list.length ? [list[i]!] : [])).flat()
