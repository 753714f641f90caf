/** What a call touches, in a few words. */
import type { Access } from "../../domain/tool/Access.ts"

type Touches = { readonly [Tag in Access["_tag"]]: (access: Extract<Access, { readonly _tag: Tag }>) => string }

const touches: Touches = {
  Read: ({ path }) => `read ${line(path)}`,
  Edit: ({ kind, path }) => `${kind} ${line(path)}`,
  Command: ({ command }) => `run ${command}`,
  Fetch: ({ url }) => `fetch ${line(url)}`,
  Browse: ({ url }) => `open ${line(url)}`,
  Mcp: ({ server, tool }) => `call ${line(tool)} of ${line(server)}`,
  Other: ({ tool }) => line(tool)
}

/** A name can't pretend to be a line of ours. */
const line = (name: string): string => name.replaceAll("\n", "␤")

/** What a call touches, in a few words. */
export const touch = (access: Access): string => (touches[access._tag] as (access: Access) => string)(access)
