/**
 * A tool's options as data. Each token is an option and what follows it: `-a` or `--all` nothing · `-n=` any value ·
 * `--arg==` two of them · `--rawfile=<` a value and a path it reads · `-f<` a path it reads · `-f&` the same, unless it
 * names another machine · `-f*` a file that lists what else it reads · `-o>` a path it writes · `-C/` a folder it enters ·
 * `-e@` a value that replaces the first operand · `-d%` text, or with `@path` a file it reads · `-c$` a program text ·
 * `-a+` the name of a variable that it sets · `-i?` a value, only when attached ·
 * `-x!` a value that makes it run something, `-p^` the same without a value, `-p~` a plugin to run, or with `no:` not to run ·
 * `-#` a number, as in `-20`.
 */

export type ValueKind =
  | "none"
  | "text"
  | "pair"
  | "pairRead"
  | "read"
  | "archive"
  | "list"
  | "write"
  | "enter"
  | "operand"
  | "data"
  | "variable"
  | "script"
  | "attached"
  | "runs"
  | "runsBare"
  | "plugin"

export interface Options {
  readonly kindByName: ReadonlyMap<string, ValueKind>
  /** Options are complete words after one dash, as in `find -name`, and letters do not cluster. */
  readonly single: boolean
  readonly number: boolean
}

const kinds: Readonly<Record<string, ValueKind>> = {
  "=": "text",
  "<": "read",
  "&": "archive",
  "*": "list",
  ">": "write",
  "/": "enter",
  "@": "operand",
  "%": "data",
  "$": "script",
  "+": "variable",
  "?": "attached",
  "!": "runs",
  "^": "runsBare",
  "~": "plugin"
}

export const options = (tokens: string, single = false): Options => lazily(() => readTokens(tokens), single)

/** The same options, one of them of another kind. */
export const withKind = (of: Options, name: string, kind: ValueKind): Options =>
  lazily(() => new Map(of.kindByName).set(name, kind), of.single)

/** Tokens are read when an option is first looked up: a session uses few of the thousands that are known. */
const lazily = (read: () => ReadonlyMap<string, ValueKind>, single: boolean): Options => {
  let kindByName: ReadonlyMap<string, ValueKind> | undefined
  return {
    get kindByName() {
      return kindByName ??= read()
    },
    single,
    get number() {
      return this.kindByName.has("-#")
    }
  }
}

const readTokens = (tokens: string): ReadonlyMap<string, ValueKind> => {
  const kindByName = new Map<string, ValueKind>()
  for (const token of tokens.split(/\s+/)) {
    const kind = token.length > 1 ? kinds[token.at(-1)!] : undefined
    if (token.endsWith("==")) kindByName.set(token.slice(0, -2), "pair")
    else if (token.endsWith("=<")) kindByName.set(token.slice(0, -2), "pairRead")
    else if (token !== "") kindByName.set(kind === undefined ? token : token.slice(0, -1), kind ?? "none")
  }
  return kindByName
}

export interface Option {
  readonly name: string
  readonly kind: ValueKind
  readonly value: string | undefined
  /** How many of the next words are its value. */
  readonly extra: 0 | 1 | 2
}

/**
 * The options in one argument, `undefined` if one of them is not listed. `next` is the argument after it. Abbreviated
 * long options are not listed, so they count as unknown.
 */
export const readOption = (text: string, next: string | undefined, options: Options): ReadonlyArray<Option> | undefined => {
  const { kindByName, number, single } = options
  if (number && /^-\d+$/.test(text)) return [{ name: text, kind: "none", value: undefined, extra: 0 }]
  if (single || text.startsWith("--") || (text.length > 2 && kindByName.has(text))) return longOption(text, next, kindByName)
  const result: Array<Option> = []
  for (let at = 1; at < text.length; at++) {
    const name = `-${text[at]}`
    const kind = kindByName.get(name)
    if (kind === undefined) return at > 1 ? undefined : longOption(text, next, kindByName)
    if (kind === "none" || kind === "runsBare") {
      result.push({ name, kind, value: undefined, extra: 0 })
      continue
    }
    const rest = text.slice(at + 1)
    result.push(rest === "" ? optionWithValue(name, kind, next) : { name, kind, value: rest.replace(/^=/, ""), extra: 0 })
    return result
  }
  return result
}

const longOption = (
  text: string,
  next: string | undefined,
  kindByName: ReadonlyMap<string, ValueKind>
): ReadonlyArray<Option> | undefined => {
  const at = text.indexOf("=")
  const name = at < 0 ? text : text.slice(0, at)
  const kind = kindByName.get(name)
  if (kind === undefined || (at >= 0 && (kind === "none" || kind === "runsBare"))) return undefined
  return [at >= 0 ? { name, kind, value: text.slice(at + 1), extra: 0 } : optionWithValue(name, kind, next)]
}

const optionWithValue = (name: string, kind: ValueKind, next: string | undefined): Option =>
  kind === "none" || kind === "runsBare" || kind === "attached"
    ? { name, kind, value: undefined, extra: 0 }
    : { name, kind, value: next, extra: kind === "pair" || kind === "pairRead" ? 2 : 1 }
