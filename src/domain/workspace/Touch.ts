/** A file that a call read or changed, and how much of it the call shows. */
import * as Schema from "effect/Schema"

/** Lines of a file, from 1, both inclusive; `all`: the entire file. */
export const Extent = Schema.Union([Schema.Literal("all"), Schema.Struct({ from: Schema.Int, to: Schema.Int })])
export type Extent = typeof Extent.Type

/**
 * `hash` is SHA-256 of its content afterwards, null if it was deleted. `content` is the part of the file that the call
 * shows: in its result for a read, in its params for a write; absent: nothing that would make a later read redundant.
 */
export const Touch = Schema.Struct({
  path: Schema.String,
  kind: Schema.Literals(["read", "created", "modified", "deleted"]),
  hash: Schema.NullOr(Schema.String),
  content: Schema.optionalKey(Extent)
}).annotate({ identifier: "Touch" })
export type Touch = typeof Touch.Type

/** Whether everything that `older` shows is in `newer`. */
export const covers = (newer: Extent, older: Extent): boolean =>
  newer === "all" || (older !== "all" && newer.from <= older.from && newer.to >= older.to)
