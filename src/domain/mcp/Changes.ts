/** How a server's tools differ from those that the user approved: a tool with a changed description is a changed tool. */
import type { ServerTool } from "./ServerTools.ts"

/** Names of tools. */
export interface Changes {
  readonly added: ReadonlyArray<string>
  readonly changed: ReadonlyArray<string>
  readonly removed: ReadonlyArray<string>
}

/** The text of a tool that a model sees, which identifies it. */
export const textOf = ({ description, schema, tool }: ServerTool): string => JSON.stringify([tool, description, schema])

/** The key of the server's own instructions; no tool has this name. */
export const instructionsKey = ""

type Hashes = Readonly<Record<string, string>>

export const compareHashes = (oldHashes: Hashes, newHashes: Hashes): Changes => ({
  added: Object.keys(newHashes).filter((name) => !Object.hasOwn(oldHashes, name)),
  changed: Object.keys(newHashes).filter((name) => Object.hasOwn(oldHashes, name) && oldHashes[name] !== newHashes[name]),
  removed: Object.keys(oldHashes).filter((name) => !Object.hasOwn(newHashes, name))
})

/** Whether it contains anything that was not approved. */
export const hasUnapproved = ({ added, changed }: Changes): boolean => added.length + changed.length > 0

/** As text: `new: a, b; changed: c; gone: d`. */
export const summary = ({ added, changed, removed }: Changes): string =>
  ([["new", added], ["changed", changed], ["gone", removed]] as const)
    .flatMap(([word, names]) =>
      names.length === 0 ? [] : [`${word}: ${names.map((name) => name === instructionsKey ? "its instructions" : name).join(", ")}`]
    )
    .join("; ")
