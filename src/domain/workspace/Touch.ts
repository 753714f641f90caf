/** A file that a call read or changed, and how much of it the call shows. */
import * as Schema from "effect/Schema"

/** Lines of a file, from 1, both inclusive; `all`: the whole file. */
export const Extent = Schema.Union([Schema.Literal("all"), Schema.Struct({ from: Schema.Int, to: Schema.Int })])
export type Extent = typeof Extent.Type

/**
 * `hash` is SHA-256 of its content afterwards, null when it is gone. `content` is what of the file the call shows: in
 * its result where it read, in its params where it wrote; absent: nothing that a later read would make needless.
 */
export const Touch = Schema.Struct({
  path: Schema.String,
  kind: Schema.Literals(["read", "created", "modified", "deleted"]),
  hash: Schema.NullOr(Schema.String),
  content: Schema.optionalKey(Extent)
}).annotate({ identifier: "Touch" })
export type Touch = typeof Touch.Type

/** Whether all that `older` shows is in `newer`. */
export const covers = (newer: Extent, older: Extent): boolean =>
  newer === "all" || (older !== "all" && newer.from <= older.from && newer.to >= older.to)
