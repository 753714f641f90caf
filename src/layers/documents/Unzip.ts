/** Unpacks an archive within limits and rebuilds it without compression: what a library then reads is what was measured here. */
import { unzipSync, zipSync } from "fflate"
import { DocumentError } from "../../domain/workspace/DocumentError.ts"

/** Limits: bytes of all files together, and the number of files. */
const limits = { bytes: 256 * 1024 * 1024, files: 10_000 }

/** Throws a DocumentError for an invalid archive, or one that exceeds the limits. */
export const uncompressed = (bytes: Uint8Array): Uint8Array => {
  let size = 0
  let files = 0
  try {
    const entries = unzipSync(bytes, {
      filter: ({ originalSize }) => {
        size += originalSize
        // Memory is allocated by the size that an archive declares: if that is wrong, the file is cut there, and damaged.
        if (size > limits.bytes || ++files > limits.files) throw tooLarge
        return true
      }
    })
    return zipSync(entries, { level: 0 })
  } catch (cause) {
    throw cause === tooLarge ? cause
      : new DocumentError({
        reason: "Damaged",
        message: `it is not a complete archive (${cause instanceof Error ? cause.message : String(cause)})`
      })
  }
}

const tooLarge = new DocumentError({
  reason: "TooLarge",
  message: `it unpacks to more than ${limits.bytes / 1024 / 1024} MB or ${limits.files} files`
})
