/**
 * Every flag of the command line, as plain data. The parser (Args), help (Help), and completions (commands/Completion)
 * read this one table and nothing else.
 */
import type { Flag } from "./Flag.ts"
import { others } from "./commandFlags.ts"
import { running } from "./runFlags.ts"

export const table = { ...running, ...others } as const

export type Key = keyof typeof table

type ValueOf<K> = K extends { readonly _tag: "Switch" } ? boolean
  : K extends { readonly _tag: "Number" } ? number
  : K extends { readonly _tag: "Choice"; readonly choices: ReadonlyArray<infer C> } ? C
  : K extends { readonly _tag: "List" | "Each" } ? ReadonlyArray<string>
  : string

/** What a command line says; `Maybe` without a value is the empty string. */
export type Values = { readonly [K in Key]?: ValueOf<(typeof table)[K]["kind"]> }

/** Words of other tools that stand for a flag of ours with its value. */
export const shorthands: Readonly<Record<string, { readonly flag: Key; readonly value: string }>> = {
  "--yolo": { flag: "permissionMode", value: "bypassPermissions" },
  "--dangerously-skip-permissions": { flag: "permissionMode", value: "bypassPermissions" },
  "--json": { flag: "outputFormat", value: "stream-json" },
  "--no-color": { flag: "color", value: "never" }
}

/** All of them, in the order in which help shows them. */
export const entries = Object.entries(table) as ReadonlyArray<readonly [Key, Flag]>

/** The flag that a spelling names. */
export const named: ReadonlyMap<string, readonly [Key, Flag]> = new Map(
  entries.flatMap((entry) => entry[1].names.map((name) => [name, entry] as const))
)

/** Whether a command knows a flag. */
export const applies = (flag: Flag, command: string): boolean => flag.on === undefined || flag.on.includes(command)
