/** How blobs are kept: compressed where that makes them smaller, at a level that costs less than the disk. */
import { promisify } from "node:util"
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from "node:zlib"

/** How a blob's bytes stand in the store. */
export interface Packed {
  readonly codec: "plain" | "zstd"
  readonly bytes: Uint8Array
}

/** Bytes below which nothing is won, and above which another thread does the work. */
const small = 256
const large = 128 * 1024

const options = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

export const pack = async (bytes: Uint8Array): Promise<Packed> => {
  if (bytes.length < small) return { codec: "plain", bytes }
  const packed = bytes.length < large ? zstdCompressSync(bytes, options) : await compress(bytes, options)
  return packed.length < bytes.length ? { codec: "zstd", bytes: packed } : { codec: "plain", bytes }
}

export const unpack = async ({ bytes, codec }: Packed): Promise<Uint8Array> =>
  codec === "plain" ? bytes : bytes.length < large ? zstdDecompressSync(bytes) : await decompress(bytes)
