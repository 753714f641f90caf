/**
 * Every flag of the command line, as plain data. The parser (ParseArgs), the help (HelpText) and the completion scripts
 * (commands/Completion) are all generated from this table.
 */
import type { Flag } from "./Flag.ts"
import { commandFlags } from "./commandFlags.ts"
import { runFlags } from "./runFlags.ts"
import { sdkFlags } from "./sdkFlags.ts"

export const table = { ...runFlags, ...commandFlags, ...sdkFlags } as const

export type Key = keyof typeof table

type ValueOf<K> = K extends { readonly _tag: "Switch" } ? boolean
  : K extends { readonly _tag: "Number" } ? number
  : K extends { readonly _tag: "Choice"; readonly choices: ReadonlyArray<infer C> } ? C
  : K extends { readonly _tag: "List" | "Each" } ? ReadonlyArray<string>
  : string

/** Parsed flags. A `Maybe` flag without a value is the empty string. */
export type Values = { readonly [K in Key]?: ValueOf<(typeof table)[K]["kind"]> }

/** Flags of other tools that stand for one of ours with a value. */
export const shorthands: Readonly<Record<string, { readonly flag: Key; readonly value: string }>> = {
  "--yolo": { flag: "permissionMode", value: "bypassPermissions" },
  "--dangerously-skip-permissions": { flag: "permissionMode", value: "bypassPermissions" },
  "--json": { flag: "outputFormat", value: "stream-json" },
  "--no-color": { flag: "color", value: "never" }
}

/** All flags, in the order of the help. */
export const entries = Object.entries(table) as ReadonlyArray<readonly [Key, Flag]>

/** Flags by each of their names. */
export const byName: ReadonlyMap<string, readonly [Key, Flag]> = new Map(
  entries.flatMap((entry) => entry[1].names.map((name) => [name, entry] as const))
)

/** The flags that help and completions list. */
export const visible = entries.filter(([, { isHidden }]) => isHidden !== true)

/** Whether a command accepts a flag. */
export const applies = (flag: Flag, command: string): boolean => flag.commands === undefined || flag.commands.includes(command)
