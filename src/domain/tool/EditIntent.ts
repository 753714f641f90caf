/** What an edit is about to do to a file, recorded beforehand: after a crash the file itself shows whether it was done. */
import * as Schema from "effect/Schema"

/** SHA-256 of the file's bytes before and after, null if there is no file. `path` as the session names it. */
export const EditIntent = Schema.Struct({
  path: Schema.String,
  before: Schema.NullOr(Schema.String),
  after: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Intent" })
export type EditIntent = typeof EditIntent.Type

/** `other`: neither the old nor the intended content, or only partly written. */
export const IntentState = Schema.Literals(["done", "untouched", "other"])
export type IntentState = typeof IntentState.Type

/** What the files show about an edit; `hashes` has their hashes, null for a missing one. */
export const compare = (intents: ReadonlyArray<EditIntent>, hashes: ReadonlyMap<string, string | null>): IntentState =>
  intents.every(({ after, path }) => hashes.get(path) === after) ? "done"
    : intents.every(({ before, path }) => hashes.get(path) === before) ? "untouched"
    : "other"
