/** SHA-256 digests in hex, used to name blobs, chain events and bind decisions to actions. */
import { hash } from "node:crypto"

/** The digest of bytes, or of the UTF-8 encoding of a text. */
export const sha256 = (data: string | Uint8Array): string => hash("sha256", data, "hex")

/** The digest of a value's JSON text; it depends on the order of keys. */
export const ofJson = (value: unknown): string => sha256(JSON.stringify(value))
