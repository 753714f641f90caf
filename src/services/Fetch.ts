/** What HTTP requests are sent with: one place where cassettes, faults and proxies stand in for the network. */
import * as Context from "effect/Context"

export const Fetch = Context.Reference<typeof globalThis.fetch>("dacapo/Fetch", { defaultValue: () => globalThis.fetch })
