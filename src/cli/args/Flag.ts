/** What a flag is, as plain data. */

/**
 * What a flag's value is.
 * - `Maybe` takes the next token only where it names something; `=` always works. What `takes` matches does by its looks; of any
 *   other word that is decided by what there is (Behind).
 * - `Text.offers` is a command of the shell that prints the words which may stand there, a line each, for completions.
 * - `List` may repeat or hold commas; it takes exactly one token, so that it never eats the prompt.
 * - `Each` may repeat, and a value is taken as it stands.
 * - `Choice.also` maps other tools' words to ours.
 */
export type Kind =
  | { readonly _tag: "Switch" }
  | { readonly _tag: "Text"; readonly value: string; readonly offers?: string }
  | { readonly _tag: "Number"; readonly value: string; readonly integer: boolean }
  | {
    readonly _tag: "Choice"
    readonly choices: ReadonlyArray<string>
    readonly also?: Readonly<Record<string, string>>
  }
  | { readonly _tag: "List"; readonly value: string }
  | { readonly _tag: "Each"; readonly value: string }
  | { readonly _tag: "Maybe"; readonly value: string; readonly takes?: RegExp }

/** `names`: the first is the spelling that help shows; `on`: the commands that know it, absent: all of them. */
export interface Flag {
  readonly names: readonly [string, ...ReadonlyArray<string>]
  readonly kind: Kind
  readonly doc: string
  readonly on?: ReadonlyArray<string>
}

/** How help and errors show the value that a flag takes. */
export const placeholder = (kind: Kind): string =>
  kind._tag === "Switch" ? "" : kind._tag === "Choice" ? kind.choices.join("|") : `<${kind.value}>`
