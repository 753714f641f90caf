/** How HTTP requests are sent: the one place where cassettes, faults and proxies replace the network. */
import * as Context from "effect/Context"

export const Fetch = Context.Reference<typeof globalThis.fetch>("dacapo/Fetch", { defaultValue: () => globalThis.fetch })
