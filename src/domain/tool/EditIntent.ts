/**
 * What an edit means to make of a file, written down before it does: after a crash the file itself tells whether it
 * was done.
 */
import * as Schema from "effect/Schema"

/** SHA-256 of the file's bytes before and after, null where there is no file. `path` as the session names it. */
export const Intent = Schema.Struct({
  path: Schema.String,
  before: Schema.NullOr(Schema.String),
  after: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Intent" })
export type Intent = typeof Intent.Type

/** `other`: neither what it was nor what it was to become, or done in part. */
export const Found = Schema.Literals(["done", "untouched", "other"])
export type Found = typeof Found.Type

/** What files tell of an edit; `now` has their hashes, null for one that is not there. */
export const compare = (intents: ReadonlyArray<Intent>, now: ReadonlyMap<string, string | null>): Found =>
  intents.every(({ after, path }) => now.get(path) === after) ? "done"
  : intents.every(({ before, path }) => now.get(path) === before) ? "untouched"
  : "other"
