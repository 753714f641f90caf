/** Calls and pauses in a few words. */
import type { Access } from "../../domain/tool/Access.ts"
import { text, type Shown } from "./Shown.ts"

type Touches = { readonly [Tag in Access["_tag"]]: (access: Extract<Access, { readonly _tag: Tag }>) => string }

const touches: Touches = {
  Read: ({ path }) => `read ${line(path)}`,
  Edit: ({ kind, path }) => `${kind} ${line(path)}`,
  Command: ({ background, command, terminal }) =>
    `run ${command}${background === true ? " (in the background)" : ""}${terminal === true ? " (in a pseudo-terminal)" : ""}`,
  Fetch: ({ url }) => `fetch ${line(url)}`,
  Browse: ({ url }) => `open ${line(url)}`,
  Mcp: ({ server, tool }) => `call ${line(tool)} of ${line(server)}`,
  Other: ({ tool }) => line(tool)
}

/** A name can't pretend to be a line of ours. */
const line = (name: string): string => name.replaceAll("\n", "␤")

/** What a call touches, in a few words. */
export const touch = (access: Access): string => (touches[access._tag] as (access: Access) => string)(access)

/** A call before it is understood: its name and the first thing that it was given. */
export const told = (name: string, params: unknown): Shown => {
  const first = typeof params === "object" && params !== null ? Object.values(params).find((value) => typeof value === "string") : undefined
  const words = first === undefined ? "" : ` ${String(first).trim().split("\n", 1)[0]!.slice(0, 120)}`
  return text(`${name}${words}`)
}

/** A pause in ms or s. */
export const seconds = (ms: number): string => ms < 1000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1000)} s`
