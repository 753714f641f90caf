/** Calls and pauses in a few words. */
import type { Access } from "../../../domain/tool/Access.ts"
import { text, type Shown } from "./DisplayText.ts"

type Touches = { readonly [Tag in Access["_tag"]]: (access: Extract<Access, { readonly _tag: Tag }>) => string }

const touches: Touches = {
  Read: ({ path }) => `read ${line(path)}`,
  Edit: ({ kind, path }) => `${kind} ${line(path)}`,
  Command: ({ background, command, terminal }) =>
    `run ${command}${background === true ? " (in the background)" : ""}${terminal === true ? " (in a pseudo-terminal)" : ""}`,
  Fetch: ({ url }) => `fetch ${line(url)}`,
  Browse: ({ url }) => `open ${line(url)}`,
  Mcp: ({ server, tool }) => `call ${line(tool)} of ${line(server)}`,
  Other: ({ input, tool }) => [title(tool), ...words(input).slice(0, 2)].join(" ")
}

/** A name can't pretend to be a line of ours. */
const line = (name: string): string => name.replaceAll("\n", "␤")

/** A tool of ours as people say it; one of a server keeps its name. */
const title = (tool: string): string => tool.startsWith("mcp__") ? line(tool) : line(tool).replaceAll("_", " ")

/** What a call touches, in a few words. */
export const touch = (access: Access): string => (touches[access._tag] as (access: Access) => string)(access)

/** A call before it is understood: its name and the first thing that it was given. */
export const told = (name: string, params: unknown): Shown => text([title(name), ...words(params).slice(0, 1)].join(" "))

/** A call that only reads, by what its tool does: `search . "tax"`; a file's own tools go by their first word. */
export const looked = (name: string, params: unknown): Shown =>
  text([title(name.replace(/_files?$/, "")), ...words(params)].join(" "))

/** The texts that a call was given, a line of each; of a list of things the first text of each of them, as one. */
const words = (params: unknown): ReadonlyArray<string> =>
  typeof params !== "object" || params === null ? [] : Object.values(params).flatMap((value) =>
    typeof value === "string" ? [line(value.trim().split("\n", 1)[0]!.slice(0, 120))]
    : Array.isArray(value) ? [value.flatMap((one) => words(one).slice(0, 1)).join(" · ")].filter((joined) => joined !== "")
    : [])

/** A pause in ms or s. */
export const seconds = (ms: number): string => ms < 1000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1000)} s`
