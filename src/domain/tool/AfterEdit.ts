/** What to run after an edit: a formatter and a check, for the files that a pattern matches. */
import * as Schema from "effect/Schema"

/**
 * `{file}` in a command stands for the file, relative to the working folder; a formatter without it gets the file as
 * its last argument. A pattern without a slash matches names in every folder.
 */
export const Commands = Schema.Struct({ format: Schema.optionalKey(Schema.String), check: Schema.optionalKey(Schema.String) })

/** The commands for files that match the pattern `files`. */
export const AfterEdit = Schema.Struct({ files: Schema.String, ...Commands.fields }).annotate({ identifier: "AfterEdit" })
export type AfterEdit = typeof AfterEdit.Type
