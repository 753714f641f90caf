/** Compression of stored blobs, where it makes them smaller, at a level that is faster than writing to disk. */
import { promisify } from "node:util"
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from "node:zlib"

/** A blob as it is stored. */
export interface Packed {
  readonly codec: "plain" | "zstd"
  readonly bytes: Uint8Array
}

/** Smaller blobs are not compressed; larger ones are compressed on another thread. */
const minCompressBytes = 256
const asyncBytes = 128 * 1024

const options = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

export const pack = async (bytes: Uint8Array): Promise<Packed> => {
  if (bytes.length < minCompressBytes) return { codec: "plain", bytes }
  const packed = bytes.length < asyncBytes ? zstdCompressSync(bytes, options) : await compress(bytes, options)
  return packed.length < bytes.length ? { codec: "zstd", bytes: packed } : { codec: "plain", bytes }
}

export const unpack = async ({ bytes, codec }: Packed): Promise<Uint8Array> =>
  codec === "plain" ? bytes : bytes.length < asyncBytes ? zstdDecompressSync(bytes) : await decompress(bytes)
