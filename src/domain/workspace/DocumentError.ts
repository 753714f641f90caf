/** A document that could not be read as text. */
import * as Schema from "effect/Schema"

/**
 * `Damaged`: it is not of the format it claims. `Locked`: it has a password. `TooLarge`: it unpacks, or takes memory or
 * time, past a limit.
 */
export class DocumentError extends Schema.TaggedError<DocumentError>()("DocumentError", {
  reason: Schema.Literals(["Damaged", "Locked", "TooLarge"]),
  message: Schema.String
}) {}
