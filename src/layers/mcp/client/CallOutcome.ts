/** From a server's answer to the outcome of a call: pictures become blobs. */
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import type { Said } from "../../../domain/mcp/Content.ts"
import type { ResultContent } from "../../../domain/message/Message.ts"
import * as Outcome from "../../../domain/tool/Outcome.ts"
import { Storage } from "../../../services/Storage.ts"
import * as Picture from "../../image/FitImage.ts"

/** Bytes of a picture that are taken, and pictures of one answer. */
const limits = { bytes: 20 * 1024 * 1024, pictures: 10 }

/** What was said, as the result of a call; `failed` where the server calls it an error. */
export const of = Effect.fnUntraced(function*(said: ReadonlyArray<Said>, failed: boolean) {
  const content = yield* Effect.forEach(said, (one, i) => part(one, i < limits.pictures))
  const { status } = (failed ? Outcome.failed : Outcome.succeeded)("")
  return { status, content: content.length === 0 ? [{ _tag: "Text", text: "(the server gave no content)" }] : content } satisfies Outcome.Outcome as Outcome.Outcome
})

const part = (said: Said, room: boolean): Effect.Effect<ResultContent, never, Storage> =>
  Effect.gen(function*() {
    if (said._tag === "Text") return said
    const bytes = Base64.decode(said.base64)
    if (Result.isFailure(bytes)) return note("a picture whose data is no Base64")
    if (!room || bytes.success.length > limits.bytes) return note(`a picture of ${bytes.success.length} bytes that is too much for one answer`)
    return yield* Picture.keep(bytes.success, said.mediaType).pipe(Effect.catch(({ message }) => Effect.succeed(note(message))))
  })

const note = (what: string): ResultContent => ({ _tag: "Text", text: `[${what}]` })
