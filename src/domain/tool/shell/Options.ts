/**
 * A tool's options as data. Each token is an option and what follows it:
 * `-a` or `--all` nothing · `-n=` any value · `-f<` a path it reads · `-o>` a path it writes · `-e@` a value that stands
 * for the first operand · `-c$` a program's text · `-i?` a value, only when attached · `-#` a number, as in `-20`.
 */

export type ValueKind = "none" | "text" | "read" | "write" | "operand" | "script" | "attached"

export interface Options {
  readonly known: ReadonlyMap<string, ValueKind>
  /** Options are whole words behind one dash, as in `find -name`, and letters do not cluster. */
  readonly single: boolean
  readonly number: boolean
}

const kinds: Readonly<Record<string, ValueKind>> = { "=": "text", "<": "read", ">": "write", "@": "operand", "$": "script", "?": "attached" }

export const options = (tokens: string, single = false): Options => {
  const known = new Map<string, ValueKind>()
  for (const token of tokens.split(/\s+/)) {
    const kind = kinds[token.at(-1) ?? ""]
    if (token !== "") known.set(kind === undefined ? token : token.slice(0, -1), kind ?? "none")
  }
  return { known, single, number: known.has("-#") }
}

export interface Option {
  readonly name: string
  readonly kind: ValueKind
  readonly value: string | undefined
  /** Where the value is a word of its own, the distance to it: 1. */
  readonly extra: 0 | 1
}

/**
 * The options that one argument holds, `undefined` when one of them is not listed. `next` is the argument after it.
 * Abbreviated long options are not listed, so they count as unknown.
 */
export const readOption = (text: string, next: string | undefined, { known, number, single }: Options): ReadonlyArray<Option> | undefined => {
  if (number && /^-\d+$/.test(text)) return [{ name: text, kind: "none", value: undefined, extra: 0 }]
  if (single || text.startsWith("--")) return longOption(text, next, known)
  const whole = known.get(text)
  if (whole !== undefined && text.length > 2) return longOption(text, next, known)
  const found: Array<Option> = []
  for (let at = 1; at < text.length; at++) {
    const name = `-${text[at]}`
    const kind = known.get(name)
    if (kind === undefined) return at > 1 ? undefined : longOption(text, next, known)
    const rest = text.slice(at + 1)
    if (kind === "none") {
      found.push({ name, kind, value: undefined, extra: 0 })
      continue
    }
    found.push(
      rest !== ""
        ? { name, kind, value: rest.replace(/^=/, ""), extra: 0 }
        : kind === "attached"
        ? { name, kind, value: undefined, extra: 0 }
        : { name, kind, value: next, extra: 1 }
    )
    return found
  }
  return found
}

const longOption = (text: string, next: string | undefined, known: ReadonlyMap<string, ValueKind>): ReadonlyArray<Option> | undefined => {
  const at = text.indexOf("=")
  const name = at < 0 ? text : text.slice(0, at)
  const kind = known.get(name)
  if (kind === undefined || (kind === "none" && at >= 0)) return undefined
  if (at >= 0) return [{ name, kind, value: text.slice(at + 1), extra: 0 }]
  return kind === "none" || kind === "attached"
    ? [{ name, kind, value: undefined, extra: 0 }]
    : [{ name, kind, value: next, extra: 1 }]
}
