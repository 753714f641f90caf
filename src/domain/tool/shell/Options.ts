/**
 * A tool's options as data. Each token is an option and what follows it:
 * `-a` or `--all` nothing · `-n=` any value · `-f<` a path it reads · `-o>` a path it writes · `-C/` a folder it enters ·
 * `-e@` a value that stands for the first operand · `-d%` text, or with `@path` a file it reads · `-c$` a program's text ·
 * `-i?` a value, only when attached · `-x!` a value that makes it run something, `-p^` the same without a value ·
 * `-#` a number, as in `-20`.
 */

export type ValueKind = "none" | "text" | "read" | "write" | "enter" | "operand" | "data" | "script" | "attached" | "runs" | "runsBare"

export interface Options {
  readonly known: ReadonlyMap<string, ValueKind>
  /** Options are whole words behind one dash, as in `find -name`, and letters do not cluster. */
  readonly single: boolean
  readonly number: boolean
}

const kinds: Readonly<Record<string, ValueKind>> = {
  "=": "text",
  "<": "read",
  ">": "write",
  "/": "enter",
  "@": "operand",
  "%": "data",
  "$": "script",
  "?": "attached",
  "!": "runs",
  "^": "runsBare"
}

export const options = (tokens: string, single = false): Options => {
  const known = new Map<string, ValueKind>()
  for (const token of tokens.split(/\s+/)) {
    const kind = token.length > 1 ? kinds[token.at(-1)!] : undefined
    if (token !== "") known.set(kind === undefined ? token : token.slice(0, -1), kind ?? "none")
  }
  return { known, single, number: known.has("-#") }
}

export interface Option {
  readonly name: string
  readonly kind: ValueKind
  readonly value: string | undefined
  /** 1 where the value is the next word. */
  readonly extra: 0 | 1
}

/**
 * The options that one argument holds, `undefined` when one of them is not listed. `next` is the argument after it.
 * Abbreviated long options are not listed, so they count as unknown.
 */
export const readOption = (text: string, next: string | undefined, options: Options): ReadonlyArray<Option> | undefined => {
  const { known, number, single } = options
  if (number && /^-\d+$/.test(text)) return [{ name: text, kind: "none", value: undefined, extra: 0 }]
  if (single || text.startsWith("--") || (text.length > 2 && known.has(text))) return whole(text, next, known)
  const found: Array<Option> = []
  for (let at = 1; at < text.length; at++) {
    const name = `-${text[at]}`
    const kind = known.get(name)
    if (kind === undefined) return at > 1 ? undefined : whole(text, next, known)
    if (kind === "none" || kind === "runsBare") {
      found.push({ name, kind, value: undefined, extra: 0 })
      continue
    }
    const rest = text.slice(at + 1)
    found.push(rest === "" ? separate(name, kind, next) : { name, kind, value: rest.replace(/^=/, ""), extra: 0 })
    return found
  }
  return found
}

const whole = (text: string, next: string | undefined, known: ReadonlyMap<string, ValueKind>): ReadonlyArray<Option> | undefined => {
  const at = text.indexOf("=")
  const name = at < 0 ? text : text.slice(0, at)
  const kind = known.get(name)
  if (kind === undefined || (at >= 0 && (kind === "none" || kind === "runsBare"))) return undefined
  return [at >= 0 ? { name, kind, value: text.slice(at + 1), extra: 0 } : separate(name, kind, next)]
}

const separate = (name: string, kind: ValueKind, next: string | undefined): Option =>
  kind === "none" || kind === "runsBare" || kind === "attached"
    ? { name, kind, value: undefined, extra: 0 }
    : { name, kind, value: next, extra: 1 }
