/** Our own small tree of a bash program. Only what matters for the decision: which programs run, with which words, on which files. */
import type { Tree } from "../../workspace/Lookup.ts"

/**
 * - `literal`: `text` is the word, whatever happens at run time.
 * - `tilde`: `text` begins with a `~` that the shell expands, possibly after `name=`.
 * - `glob`: `text` is a file pattern, quoted characters escaped by a backslash.
 * - `process`: a process substitution, a pipe under a name chosen at run time.
 * - `dynamic`: known only at run time; `text` is the literal beginning.
 */
export type WordKind = "literal" | "tilde" | "glob" | "process" | "dynamic"

/** What a value can be, or nothing: a number without a sign, a number, the name of a Git object. It is no option, path or code. */
export type Form = "count" | "number" | "object"

/** An expansion whose value may have a known form. Arithmetic has a minus where its result may be negative though its operands are not. */
export type Expansion =
  | { readonly _tag: "Variable"; readonly name: string }
  | { readonly _tag: "Output"; readonly node: Node }
  | {
    readonly _tag: "Arithmetic"
    readonly names: ReadonlyArray<string>
    readonly outputs: ReadonlyArray<Node>
    readonly hasMinus: boolean
  }

/** A text with values of known forms in it; `object` where one of them is. */
export interface Example {
  readonly form: Form
  readonly text: string
}

/** A variable that arithmetic sets. */
export interface ArithmeticSetting {
  readonly name: string
  readonly value: Expansion
}

/** An arithmetic expression; `expansion` is absent where a word in it is neither a number nor a variable. */
export interface Arithmetic {
  readonly hazard: string | undefined
  readonly scripts: ReadonlyArray<Node>
  readonly sets: ReadonlyArray<ArithmeticSetting>
  readonly expansion?: Expansion
}

export interface Word {
  /** As written. */
  readonly source: string
  readonly kind: WordKind
  readonly text: string
  /** May become several words, or none. */
  readonly splits: boolean
  /** The programs of its substitutions. */
  readonly scripts: ReadonlyArray<Node>
  /** Expansions that evaluate text as code, each with its reason. */
  readonly hazards: ReadonlyArray<string>
  /** One unquoted `$( … )`, and nothing beside it. */
  readonly isSubstitution?: true
  /** It is this expansion, quoted or not, and nothing beside it. */
  readonly expansion?: Expansion
  /** What it may become, where all of its expansions have known forms: one example of each kind. */
  readonly examples?: ReadonlyArray<Example>
  /** It is an example of a word with a value of this form. */
  readonly exampleOf?: Form
  /** It names this file, or some below this folder. */
  readonly tree?: Tree
  /** Files that it stands for, though which of them is known only at run time: enough for a command that only reads. */
  readonly files?: ReadonlyArray<Word>
}

export interface Assignment {
  readonly name: string
  /** Undefined for arrays, subscripts and `+=`. */
  readonly value: Word | undefined
  /** Every word within, for the substitutions they hold. */
  readonly words: ReadonlyArray<Word>
}

export type Redirect =
  | { readonly _tag: "Read" | "Write"; readonly target: Word; readonly source: string; readonly named: boolean }
  /** `2>&1`, `>&-`: touches no file. */
  | { readonly _tag: "Duplicate" }
  /** A here-document or here-string: `body` is what the command reads. */
  | { readonly _tag: "Here"; readonly body: Word }

export type Node =
  | {
    readonly _tag: "Simple"
    readonly source: string
    readonly assignments: ReadonlyArray<Assignment>
    readonly words: ReadonlyArray<Word>
    readonly redirects: ReadonlyArray<Redirect>
  }
  /** In order, in one shell. */
  | { readonly _tag: "List"; readonly nodes: ReadonlyArray<Node> }
  /** `a && b || c`: `operators[i]` stands before `nodes[i + 1]`. */
  | { readonly _tag: "AndOr"; readonly nodes: ReadonlyArray<Node>; readonly operators: ReadonlyArray<"&&" | "||"> }
  /** Each in its own shell, reading the output of the one before. */
  | { readonly _tag: "Pipeline"; readonly nodes: ReadonlyArray<Node> }
  /** In its own shell: `( … )`, `… &`. */
  | { readonly _tag: "Subshell"; readonly node: Node }
  | { readonly _tag: "Redirected"; readonly node: Node; readonly redirects: ReadonlyArray<Redirect> }
  /** `if`, `case`: each node may run. */
  | { readonly _tag: "Branch"; readonly words: ReadonlyArray<Word>; readonly nodes: ReadonlyArray<Node> }
  | {
    readonly _tag: "Loop"
    readonly variable: string | undefined
    readonly words: ReadonlyArray<Word>
    readonly nodes: ReadonlyArray<Node>
    readonly sets: ReadonlyArray<ArithmeticSetting>
    readonly hazard: string | undefined
  }
  | { readonly _tag: "Function"; readonly name: string; readonly body: Node }
  | { readonly _tag: "Coprocess"; readonly node: Node }
  /** `[[ … ]]`, with its words in order, and its operators but for those that compare numbers. */
  | { readonly _tag: "Test"; readonly source: string; readonly words: ReadonlyArray<Word>; readonly operators: ReadonlyArray<string> }
  /** `(( … ))` */
  | {
    readonly _tag: "Arithmetic"
    readonly hazard: string | undefined
    readonly scripts: ReadonlyArray<Node>
    readonly sets: ReadonlyArray<ArithmeticSetting>
  }

export interface Program {
  readonly root: Node
  /** Why the text can't be trusted to run as it reads; empty if it can. */
  readonly faults: ReadonlyArray<string>
}

export const literal = (text: string): Word => ({ source: text, kind: "literal", text, splits: false, scripts: [], hazards: [] })

/** A pattern, an unquoted expansion or a list of files: the words after it may stand at later places than it seems. */
export const mayBeSeveral = ({ kind, splits, tree }: Word): boolean => splits || kind === "glob" || tree !== undefined

/** A pattern that may match what reads as an option or an operator. */
export const canMatchOption = ({ kind, text }: Word): boolean => kind === "glob" && /^[-*?[(@!+\\]/.test(text)
