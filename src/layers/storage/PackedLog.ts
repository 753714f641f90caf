/** The packed log of an archived session. */
import { promisify } from "node:util"
import { constants, zstdCompress, zstdDecompress } from "node:zlib"
import * as Effect from "effect/Effect"
import { LogError } from "../../domain/session/LogError.ts"

/** A packed line, in log order. */
export type Row = readonly [hash: string, body: string]

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** Packing is rare, so it uses a high compression level. */
const level = { params: { [constants.ZSTD_c_compressionLevel]: 12 } }

export const pack = (rows: ReadonlyArray<Row>): Effect.Effect<Uint8Array> =>
  Effect.promise(() => compress(Buffer.from(JSON.stringify(rows)), level))

export const unpack = (session: string, bytes: Uint8Array): Effect.Effect<ReadonlyArray<Row>, LogError> =>
  Effect.tryPromise({
    try: async () => JSON.parse((await decompress(bytes)).toString("utf8")) as ReadonlyArray<Row>,
    catch: () => new LogError({ session, message: `The packed log of session ${session} is damaged.`, reason: { _tag: "Corrupt", seq: 0 } })
  })

/** Matches the digests in a text, which are the names of blobs. */
export const digest = /[0-9a-f]{64}/g

export const digests = (text: string): ReadonlyArray<string> => Array.from(text.matchAll(digest), ([hash]) => hash)
