/** The bytes of images and documents that a request names, put beside it for the wire. */
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import type { LogError } from "../../domain/session/LogError.ts"
import type { ModelRequest } from "../../domain/provider/ModelRequest.ts"
import type { SessionLog } from "../../services/EventLog.ts"

/** The same request where it names none. */
export const withBlobs = (log: SessionLog, request: ModelRequest): Effect.Effect<ModelRequest, LogError> => {
  const hashes = new Set(request.messages.flatMap(({ content }) => content.flatMap((part) =>
    part._tag === "ToolResult" ? part.content.flatMap((one) => one._tag === "Image" ? [one.blob] : [])
    : part._tag === "Image" || part._tag === "Document" ? [part.blob]
    : [])))
  return hashes.size === 0 ? Effect.succeed(request) : Effect.map(
    Effect.forEach(hashes, (hash) => Effect.map(log.getBlob(hash), (bytes) => [hash, Base64.encode(bytes)] as const)),
    (blobs) => ({ ...request, blobs: new Map(blobs) })
  )
}
