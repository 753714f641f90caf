/** What is known of a tool: its options, and what its operands are. The tables beside this file are made of these. */
import { type Options, options } from "./Options.ts"

/**
 * What operands are:
 * - `none` there are none · `free` words of which none is an option · `text` words that touch nothing · `any` words that may be paths · `name` the first names what runs
 * - `read`, `write` paths · `tree` paths read with all beneath · `copy` paths read, the last written · `filter` one read, one written
 * - `enter` a folder · `pattern` text, then paths read · `mode` text, then paths written · `script` a program's file, then its words
 * - `sed`, `awk` a program text that is checked, then paths read · `find` folders and an expression
 * - `pairs` `if=` and `of=` paths · `test` a condition · `sets` assignments · `variables` names to set · `url` addresses · `format` `+text` alone · `switch` of the shell
 */
export type Operands =
  | "none" | "free" | "text" | "any" | "name" | "read" | "write" | "tree" | "copy" | "filter" | "enter" | "pattern" | "mode" | "script"
  | "sed" | "awk" | "find" | "pairs" | "test" | "sets" | "variables" | "url" | "format" | "switch"

export interface Tool {
  readonly operands: Operands
  readonly options: Options
  /** It changes nothing. */
  readonly readOnly: boolean
  /** No option makes it do more, so a word that may turn out to be an option is no matter. */
  readonly harmless: boolean
  /** With one of these it reads all beneath its operands. */
  readonly recursive: ReadonlySet<string>
  /** Options end at the first operand. */
  readonly stops: boolean
  readonly subs: ReadonlyMap<string, Tool> | undefined
  /** Why it always asks. */
  readonly refuses: string | undefined
  /** Without an operand, and without one of these options, it runs what it reads from its input. */
  readonly idle: ReadonlySet<string> | undefined
}

export interface More {
  readonly readOnly?: boolean
  readonly harmless?: boolean
  readonly recursive?: string
  readonly stops?: boolean
  readonly single?: boolean
  readonly subs?: Readonly<Record<string, Tool>>
  readonly idle?: string
}

const words = (text: string): ReadonlyArray<string> => text.split(" ").filter((word) => word !== "")

export const tool = (operands: Operands, tokens: string, more: More = {}): Tool => ({
  operands,
  options: options(`${tokens} --help --version`, more.single),
  readOnly: more.readOnly ?? false,
  harmless: more.harmless ?? false,
  recursive: new Set(words(more.recursive ?? "")),
  stops: more.stops ?? false,
  subs: more.subs === undefined ? undefined : new Map(Object.entries(more.subs)),
  refuses: undefined,
  idle: more.idle === undefined ? undefined : new Set(words(more.idle))
})

/** A tool that only reads. */
export const reader = (operands: Operands, tokens: string, more: More = {}): Tool => tool(operands, tokens, { ...more, readOnly: true })

/** A tool that no prefix makes safe. */
export const refused = (why: string, operands: Operands = "any"): Tool => ({ ...tool(operands, ""), refuses: why })

/** The same tool under several names. */
export const named = (names: string, tool: Tool): Readonly<Record<string, Tool>> => Object.fromEntries(words(names).map((name) => [name, tool]))
