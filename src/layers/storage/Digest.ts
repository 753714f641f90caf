/** SHA-256, in hex: names blobs, chains events, binds decisions to actions. */
import { createHash } from "node:crypto"

export const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex")

/** The digest of a value's JSON text; the same value in the same key order gives the same digest. */
export const ofJson = (value: unknown): string => sha256(JSON.stringify(value))
