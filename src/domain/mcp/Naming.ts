/** How the model names a server's tool: `mcp__server__tool`, in the letters and the length that every provider takes. */
import * as Hash from "effect/Hash"

/** Characters of a name that every provider takes. */
const longest = 64

/** The name as it stands where it can, else its beginning and a hash of the whole, so that two tools never share one. */
export const toolName = (server: string, tool: string): string => {
  const whole = `mcp__${server}__${tool}`
  const plain = whole.replace(/[^A-Za-z0-9_-]/g, "_")
  if (plain === whole && whole.length <= longest) return whole
  const hash = (Hash.string(whole) >>> 0).toString(36).padStart(7, "0")
  return `${plain.slice(0, longest - hash.length - 1)}_${hash}`
}

/** Why a server can't have this name; undefined for a good one. Two underscores part server and tool in the names of tools. */
export const problem = (server: string): string | undefined =>
  !/^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$/.test(server) ? "its name may have letters, digits, dots, hyphens and underscores, at most 40 of them, and begins with a letter or digit"
  : server.includes("__") ? "its name may not hold two underscores side by side"
  : undefined
