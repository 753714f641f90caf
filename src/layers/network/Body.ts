/** The body of a response as text, up to a limit on what it unpacks to. */
import type { IncomingMessage } from "node:http"
import { PassThrough, type Readable } from "node:stream"
import { createBrotliDecompress, createGunzip } from "node:zlib"

/** Without parameters; what is not said is taken for text and looked at. */
export const typeOf = (header: string | undefined): string => header?.split(";", 1)[0]!.trim().toLowerCase() || "text/plain"

export const isText = (type: string): boolean =>
  type.startsWith("text/") || /^application\/(?:.+\+)?(?:json|xml|javascript|ecmascript|yaml|x-yaml|toml|x-ndjson|ld\+json|rtf|sql|graphql)$/.test(type) || type === "image/svg+xml"

/** `text` is undefined for bytes that are none. What is longer than `bytes` is cut, and the connection with it. */
export const read = async (response: IncomingMessage, bytes: number): Promise<{ readonly text: string | undefined; readonly cut: boolean }> => {
  const chunks: Array<Buffer> = []
  let size = 0
  const body = unpacked(response)
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length
      chunks.push(size > bytes ? chunk.subarray(0, chunk.length - (size - bytes)) : chunk)
      if (size > bytes) break
    }
  } finally {
    response.destroy()
  }
  const whole = Buffer.concat(chunks)
  const charset = /charset=["']?([\w-]+)/i.exec(response.headers["content-type"] ?? "")?.[1] ?? "utf-8"
  return { cut: size > bytes, text: whole.subarray(0, 8192).includes(0) && !/utf-?16/i.test(charset) ? undefined : decoder(charset).decode(whole) }
}

const unpacked = (response: IncomingMessage): Readable => {
  const encoding = response.headers["content-encoding"]?.trim().toLowerCase()
  const through = encoding === "gzip" ? createGunzip() : encoding === "br" ? createBrotliDecompress() : new PassThrough()
  response.once("error", (error) => through.destroy(error))
  return response.pipe(through)
}

const decoder = (charset: string): InstanceType<typeof TextDecoder> => {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}
