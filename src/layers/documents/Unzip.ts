/** An archive unpacked within bounds, and made again without compression: what a library reads then is what was measured here. */
import { unzipSync, zipSync } from "fflate"
import { DocumentError } from "../../domain/workspace/DocumentError.ts"

/** Bytes of all files together, and how many there may be. */
const limits = { bytes: 256 * 1024 * 1024, files: 10_000 }

/** Throws a DocumentError for an archive that is none, or that holds more than the limits. */
export const plain = (bytes: Uint8Array): Uint8Array => {
  let size = 0
  let files = 0
  try {
    const unpacked = unzipSync(bytes, {
      filter: ({ originalSize }) => {
        size += originalSize
        // What an archive says of a file is what is made room for: one that lies is cut there, and damaged.
        if (size > limits.bytes || ++files > limits.files) throw tooLarge
        return true
      }
    })
    return zipSync(unpacked, { level: 0 })
  } catch (cause) {
    throw cause === tooLarge ? cause : new DocumentError({ reason: "Damaged", message: `it is no whole archive (${cause instanceof Error ? cause.message : String(cause)})` })
  }
}

const tooLarge = new DocumentError({ reason: "TooLarge", message: `it unpacks to more than ${limits.bytes / 1024 / 1024} MB or ${limits.files} files` })
