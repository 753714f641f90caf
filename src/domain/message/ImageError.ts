/** Why a picture can't be shown to a model. */
import * as Schema from "effect/Schema"

/** `Damaged`: no picture that can be read. `message`: a sentence for the model and for people: what is wrong, and what helps. */
export class PictureError extends Schema.TaggedError<PictureError>()("PictureError", {
  reason: Schema.Literals(["Damaged", "TooLarge"]),
  message: Schema.String
}) {}
