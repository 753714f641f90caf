/** Why an image can't be shown to a model. */
import * as Schema from "effect/Schema"

/** `Damaged`: the image can't be read. `message`: a sentence for the model and for people: what is wrong, and what to do. */
export class ImageError extends Schema.TaggedError<ImageError>()("ImageError", {
  reason: Schema.Literals(["Damaged", "TooLarge"]),
  message: Schema.String
}) {}
