/** SHA-256 in hex: the names of blobs, and the links of a log's chain. */
import { hash } from "node:crypto"

/** Of bytes, or of a text's UTF-8. */
export const sha256 = (data: string | Uint8Array): string => hash("sha256", data, "hex")
