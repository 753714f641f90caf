/** Converts a server's response to the outcome of a call: images become blobs. */
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import type { ContentPart } from "../../../domain/mcp/Content.ts"
import type { ResultContent } from "../../../domain/message/Message.ts"
import * as Outcome from "../../../domain/tool/Outcome.ts"
import { Storage } from "../../../services/Storage.ts"
import * as FitImage from "../../image/FitImage.ts"

/** Limits: bytes of an image, and images in one response. */
const limits = { bytes: 20 * 1024 * 1024, images: 10 }

/** The content as the result of a call; `failed` if the server reports an error. */
export const of = Effect.fnUntraced(function*(parts: ReadonlyArray<ContentPart>, failed: boolean) {
  const content = yield* Effect.forEach(parts, (one, i) => part(one, i < limits.images))
  const { status } = (failed ? Outcome.failed : Outcome.succeeded)("")
  return {
    status,
    content: content.length === 0 ? [{ _tag: "Text", text: "(the server returned no content)" }] : content
  } satisfies Outcome.Outcome as Outcome.Outcome
})

const part = (item: ContentPart, hasRoom: boolean): Effect.Effect<ResultContent, never, Storage> =>
  Effect.gen(function*() {
    if (item._tag === "Text") return item
    const bytes = Base64.decode(item.base64)
    if (Result.isFailure(bytes)) return note("an image whose data is not valid Base64")
    if (!hasRoom || bytes.success.length > limits.bytes)
      return note(`an image of ${bytes.success.length} bytes, which exceeds the limit for one response`)
    return yield* FitImage.store(bytes.success, item.mediaType).pipe(Effect.catch(({ message }) => Effect.succeed(note(message))))
  })

const note = (text: string): ResultContent => ({ _tag: "Text", text: `[${text}]` })
