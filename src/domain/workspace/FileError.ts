/** What can be wrong with a file, named for what to do next. */
import * as Schema from "effect/Schema"

export const FileReason = Schema.Literals([
  "NotFound",
  "Outside",
  "Protected",
  "Denied",
  "IsDirectory",
  "NotDirectory",
  "Exists",
  "Special",
  "Binary",
  "NotText",
  "TooLarge",
  "TooManyOpen",
  "DiskFull",
  "ReadOnly",
  "BadPattern",
  "Other"
])
export type FileReason = typeof FileReason.Type

/** `near` names existing paths similar to a missing one. */
export class FileError extends Schema.TaggedError<FileError>()("FileError", {
  path: Schema.String,
  reason: FileReason,
  message: Schema.String,
  near: Schema.optionalKey(Schema.Array(Schema.String))
}) {}
