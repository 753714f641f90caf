/** Adds the view that a tool returned to the outcome of its call: what is not a valid view is reported to the model instead. */
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import type * as Outcome from "../../domain/tool/Outcome.ts"
import * as ResultView from "../../domain/tool/ResultView.ts"
import type { Storage } from "../../services/Storage.ts"
import * as FitImage from "../image/FitImage.ts"

/** Bytes of an image. */
const maxImageBytes = 20 * 1024 * 1024

/** Stores the bytes of an image; a failure says why there is no view. */
const store = (view: ResultView.Input): Effect.Effect<Result.Result<ResultView.ResultView, string>, never, Storage> => {
  if (view.type !== "image") return Effect.succeed(Result.succeed(view))
  const { alt, data, type } = view
  const bytes = Base64.decode(data)
  if (Result.isFailure(bytes)) return Effect.succeed(Result.fail("its data is not valid Base64"))
  if (bytes.success.length > maxImageBytes) return Effect.succeed(Result.fail("its image is too large"))
  return FitImage.store(bytes.success, view.mediaType).pipe(Effect.match({
    onFailure: ({ message }) => Result.fail(message),
    onSuccess: ({ blob, mediaType }) => Result.succeed({ type, alt, mediaType, blob })
  }))
}

/** `value` is the view as the tool returned it. Without a text of the tool's own, the model reads the view in words. */
export const attach = Effect.fnUntraced(function*(outcome: Outcome.Outcome, value: unknown) {
  const parsed = ResultView.parse(value)
  const view: Result.Result<ResultView.ResultView, string> = Result.isFailure(parsed) ? Result.fail(parsed.failure)
    : yield* store(parsed.success)
  if (Result.isFailure(view)) {
    const note = `[The tool returned a view that is not valid: ${view.failure}.]`
    return { ...outcome, content: [...outcome.content, { _tag: "Text", text: note }] } satisfies Outcome.Outcome
  }
  return {
    ...outcome,
    content: outcome.content.length > 0 ? outcome.content : [{ _tag: "Text", text: ResultView.text(view.success) }],
    view: view.success
  } satisfies Outcome.Outcome
})
