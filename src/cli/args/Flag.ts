/** The definition of a flag, as plain data. */

/**
 * The kind of value that a flag takes.
 * - `Maybe` has an optional value: `=value` always works, and the next argument is the value if it matches `pattern`. For any
 *   other argument, `OptionalFlagValues` checks whether it names an existing session or worktree.
 * - `Number` must be above 0, or at least 0 with `min`.
 * - `Text.completionCommand` is a shell command that prints possible values, one per line, for completion scripts.
 * - `List` can be repeated or contain commas. It takes exactly one argument, so that it never consumes the prompt.
 * - `Each` can be repeated; a value is used as it is.
 * - `Choice.aliases` maps the values of other tools to ours; `Choice.value` stands for many choices in the help.
 */
export type Kind =
  | { readonly _tag: "Switch" }
  | { readonly _tag: "Text"; readonly value: string; readonly completionCommand?: string }
  | { readonly _tag: "Number"; readonly value: string; readonly integer: boolean; readonly min?: 0 }
  | {
    readonly _tag: "Choice"
    readonly choices: ReadonlyArray<string>
    readonly value?: string
    readonly aliases?: Readonly<Record<string, string>>
  }
  | { readonly _tag: "List"; readonly value: string }
  | { readonly _tag: "Each"; readonly value: string }
  | { readonly _tag: "Maybe"; readonly value: string; readonly pattern?: RegExp }

/**
 * Help shows the first of `names`. `commands` accept the flag; if absent, every command does. `isHidden`: not in help and
 * completions, because only programs pass it.
 */
export interface Flag {
  readonly names: readonly [string, ...ReadonlyArray<string>]
  readonly kind: Kind
  readonly doc: string
  readonly commands?: ReadonlyArray<string>
  readonly isHidden?: true
}

/** The value of a flag, as shown in help and error messages. */
export const placeholder = (kind: Kind): string =>
  kind._tag === "Switch" ? "" : kind._tag === "Choice" ? kind.choices.join("|") : `<${kind.value}>`
