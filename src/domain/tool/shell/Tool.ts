/** What is known of a tool: its options and the meaning of its operands. The neighbouring tables consist of these. */
import { type Options, options } from "./Options.ts"

/**
 * What operands are:
 * - `none` there are none · `free` words, none of them options · `text` words that touch nothing · `any` words that may
 *   be paths · `name` the first names what runs
 * - `read`, `write` paths · `copy` paths read, the last written · `move` the same, and the others vanish · `filter` one
 *   read, one written
 * - `objects` git's revisions and paths, or both as in `HEAD:file` · `comparison` the same, or two paths outside a
 *   repository · `one` at most one word that may be a path ·
 *   `clone` a source, then a folder written · `new` a folder written, then words
 * - `link` paths that a link leads to, then its own · `enter` a folder · `pattern` text, then paths read · `mode` text,
 *   then paths written · `script` a program's file, then its words
 * - `sed`, `awk`, `jq`, `yq` a program text that is checked, then paths read · `find` folders and an expression
 * - `page` names of manual pages · `processes` the selection of processes to show
 * - `pairs` `if=` and `of=` paths · `test` a condition · `sets` assignments · `setting` the name of one setting to
 *   show · `variables` names to set · `url` addresses · `format` only `+text` · `switch` of the shell ·
 *   `printf` a format, then words
 */
export type Operands =
  | "none"
  | "free"
  | "text"
  | "any"
  | "name"
  | "read"
  | "write"
  | "copy"
  | "move"
  | "filter"
  | "link"
  | "enter"
  | "pattern"
  | "mode"
  | "script"
  | "sed"
  | "awk"
  | "jq"
  | "yq"
  | "find"
  | "page"
  | "processes"
  | "pairs"
  | "test"
  | "sets"
  | "setting"
  | "variables"
  | "url"
  | "format"
  | "switch"
  | "objects"
  | "comparison"
  | "printf"
  | "one"
  | "clone"
  | "new"

export interface Tool {
  readonly operands: Operands
  readonly options: Options
  /** It changes nothing. */
  readonly readOnly: boolean
  /** It changes nothing but the files that its words name, and puts no others in their place. */
  readonly editsFiles: boolean
  /** No option makes it do more, so a word that may turn out to be an option is harmless. */
  readonly harmless: boolean
  /** The same for words that end like a file's name: `*.ts` can't turn out to be `-r`. */
  readonly harmlessNames: boolean
  /** With one of these it reads everything beneath its operands; with "*" always. */
  readonly recursiveOptions: ReadonlySet<string>
  /** With one of these it follows the links beneath its operands; with "*" always. */
  readonly followOptions: ReadonlySet<string>
  /** It reads hidden names in a tree only with one of these; undefined if it always does. */
  readonly hiddenOptions: ReadonlySet<string> | undefined
  /** Options that select files of a tree by name, those that exclude files, and those that exclude folders. */
  readonly includeOptions: ReadonlySet<string>
  readonly excludeOptions: ReadonlySet<string>
  readonly excludeFolderOptions: ReadonlySet<string>
  /** With one of these all operands are paths. */
  readonly pathsOnlyOptions: ReadonlySet<string>
  /** With one of these it writes the files that it reads. */
  readonly inPlaceOptions: ReadonlySet<string>
  /** Without one of these it does more than read; empty if it needs none. */
  readonly requiredOptions: ReadonlySet<string>
  /** Options end at the first operand. */
  readonly stops: boolean
  readonly subs: ReadonlyMap<string, Tool> | undefined
  /** Readers: arguments that one of them describes completely are judged by it instead. */
  readonly readingForms: ReadonlyArray<Tool>
  /** Why it always asks. */
  readonly refusal: string | undefined
  /** Without an operand, and without one of these options, it runs its input. */
  readonly idleOptions: ReadonlySet<string> | undefined
}

export interface ToolSettings {
  readonly readOnly?: boolean
  readonly editsFiles?: boolean
  readonly harmless?: boolean
  readonly harmlessNames?: boolean
  readonly recursiveOptions?: string
  readonly followOptions?: string
  readonly hiddenOptions?: string
  readonly includeOptions?: string
  readonly excludeOptions?: string
  readonly excludeFolderOptions?: string
  readonly pathsOnlyOptions?: string
  readonly inPlaceOptions?: string
  readonly requiredOptions?: string
  readonly stops?: boolean
  readonly single?: boolean
  readonly subs?: Readonly<Record<string, Tool>>
  readonly readingForms?: ReadonlyArray<Tool>
  readonly idleOptions?: string
}

const words = (text: string): ReadonlyArray<string> => text.split(" ").filter((word) => word !== "")

const empty: ReadonlySet<string> = new Set()
const setOf = (text: string | undefined): ReadonlySet<string> => text === undefined ? empty : new Set(words(text))

export const tool = (operands: Operands, tokens: string, settings: ToolSettings = {}): Tool => ({
  operands,
  options: options(`${tokens} --help --version`, settings.single),
  readOnly: settings.readOnly ?? false,
  editsFiles: settings.editsFiles ?? false,
  harmless: settings.harmless ?? false,
  harmlessNames: settings.harmlessNames ?? false,
  recursiveOptions: setOf(settings.recursiveOptions),
  followOptions: setOf(settings.followOptions),
  hiddenOptions: settings.hiddenOptions === undefined ? undefined : setOf(settings.hiddenOptions),
  includeOptions: setOf(settings.includeOptions),
  excludeOptions: setOf(settings.excludeOptions),
  excludeFolderOptions: setOf(settings.excludeFolderOptions),
  pathsOnlyOptions: setOf(settings.pathsOnlyOptions),
  inPlaceOptions: setOf(settings.inPlaceOptions),
  requiredOptions: setOf(settings.requiredOptions),
  stops: settings.stops ?? false,
  subs: settings.subs === undefined ? undefined : new Map(Object.entries(settings.subs)),
  readingForms: settings.readingForms ?? [],
  refusal: undefined,
  idleOptions: settings.idleOptions === undefined ? undefined : setOf(settings.idleOptions)
})

/** A tool that only reads. */
export const reader = (operands: Operands, tokens: string, settings: ToolSettings = {}): Tool =>
  tool(operands, tokens, { ...settings, readOnly: true })

/** A tool that is not safe with any prefix. */
export const refusedTool = (reason: string, operands: Operands = "any"): Tool => ({ ...tool(operands, ""), refusal: reason })

/** The same table entry under several names. */
export const forNames = <A>(names: string, entry: A): Readonly<Record<string, A>> =>
  Object.fromEntries(words(names).map((name) => [name, entry]))
