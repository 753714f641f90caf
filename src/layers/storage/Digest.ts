/** SHA-256, in hex: names blobs, chains events, binds decisions to actions. */
import { hash } from "node:crypto"

/** Of bytes, or of a text's UTF-8. */
export const sha256 = (data: string | Uint8Array): string => hash("sha256", data, "hex")

/** The digest of a value's JSON text; the same value in the same key order gives the same digest. */
export const ofJson = (value: unknown): string => sha256(JSON.stringify(value))
