/** The body of a response as text, up to a limit on what it unpacks to. */
import type { IncomingMessage } from "node:http"
import { PassThrough, type Readable } from "node:stream"
import { createBrotliDecompress, createGunzip } from "node:zlib"

/** Without parameters; a missing type is treated as text and checked. */
export const typeOf = (header: string | undefined): string => header?.split(";", 1)[0]!.trim().toLowerCase() || "text/plain"

export const isText = (type: string): boolean =>
  type.startsWith("text/") ||
  /^application\/(?:.+\+)?(?:json|xml|javascript|ecmascript|yaml|x-yaml|toml|x-ndjson|ld\+json|rtf|sql|graphql)$/.test(type) ||
  type === "image/svg+xml"

/** `text` is undefined for bytes that are not text. Anything longer than `maxBytes` is cut, and the connection closed. */
export const read = async (
  response: IncomingMessage,
  maxBytes: number
): Promise<{ readonly text: string | undefined; readonly isTruncated: boolean }> => {
  const chunks: Array<Buffer> = []
  let size = 0
  const body = decompress(response)
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length
      chunks.push(size > maxBytes ? chunk.subarray(0, chunk.length - (size - maxBytes)) : chunk)
      if (size > maxBytes) break
    }
  } finally {
    response.destroy()
  }
  const buffer = Buffer.concat(chunks)
  const charset = /charset=["']?([\w-]+)/i.exec(response.headers["content-type"] ?? "")?.[1] ?? "utf-8"
  return {
    isTruncated: size > maxBytes,
    text: buffer.subarray(0, 8192).includes(0) && !/utf-?16/i.test(charset) ? undefined : decoder(charset).decode(buffer)
  }
}

const decompress = (response: IncomingMessage): Readable => {
  const encoding = response.headers["content-encoding"]?.trim().toLowerCase()
  const stream = encoding === "gzip" ? createGunzip() : encoding === "br" ? createBrotliDecompress() : new PassThrough()
  response.once("error", (error) => stream.destroy(error))
  return response.pipe(stream)
}

const decoder = (charset: string): InstanceType<typeof TextDecoder> => {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}
