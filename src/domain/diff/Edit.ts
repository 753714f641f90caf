/**
 * An edit, independent of the format that a model wrote it in: files, and in each the blocks that replace lines by
 * lines. A format parses text into `Edits`; `Locate` finds each block; `Apply` produces the new content.
 */
import * as Schema from "effect/Schema"

/** One way to read a block whose separator is uncertain: `line` is the line of the input that divides the two sides. */
export const Split = Schema.Struct({
  line: Schema.Int,
  search: Schema.Array(Schema.String),
  replace: Schema.Array(Schema.String)
})
export type Split = typeof Split.Type

/** Lines to find and the lines that replace them. Lines carry no terminator: the file keeps its own. */
export const Block = Schema.Struct({
  /** 1-based, over all blocks of the call: what an error names. */
  index: Schema.Int,
  /** 1-based line of the input where the block begins, if the input has lines. */
  line: Schema.optionalKey(Schema.Int),
  search: Schema.Array(Schema.String),
  replace: Schema.Array(Schema.String),
  /** In hunks, for each line of `replace`: the line of `search` that it repeats as context, or -1 if it is added. */
  keep: Schema.optionalKey(Schema.Array(Schema.Int)),
  /** 1-based line of the file where the block is expected; without search lines, the line after which it goes. */
  hint: Schema.optionalKey(Schema.Int),
  /** The `@@` headers of a V4A hunk, outermost first. */
  scopes: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The hunk claims to reach the end of the file. */
  atEnd: Schema.optionalKey(Schema.Boolean),
  /** What the patch says about the newline at the end of the file, if it mentions it. */
  finalNewline: Schema.optionalKey(Schema.Boolean),
  /** Every line of the replacement was written with CRLF: only relevant when a file is created. */
  crlf: Schema.optionalKey(Schema.Boolean),
  /** Readings of a block with several possible separators, in order; the file decides between them. */
  splits: Schema.optionalKey(Schema.Array(Split))
})
export type Block = typeof Block.Type

const path = Schema.optionalKey(Schema.String)

/** What happens to one file. The path is missing if the format has none: then the call names the file. */
export const FileEdit = Schema.TaggedUnion({
  /** Blocks of lines; with `moveTo` the result is moved there. `inOrder`: the format lists its hunks from top to bottom. */
  Update: { path, moveTo: path, blocks: Schema.Array(Block), inOrder: Schema.optionalKey(Schema.Boolean) },
  /** One exact text for another. */
  Exact: { path, oldText: Schema.String, newText: Schema.String, all: Schema.Boolean },
  /** A file that must not exist yet (or is empty). */
  Add: { path, content: Schema.String },
  /** A file that is deleted. `blocks`, if the format shows them, must leave nothing of it. */
  Delete: { path, blocks: Schema.optionalKey(Schema.Array(Block)) },
  /** Restores the exact text at a place: how an edit is undone. */
  Restore: { path, moveTo: path, at: Schema.Int, remove: Schema.String, insert: Schema.String }
})
export type FileEdit = typeof FileEdit.Type

export const Format = Schema.Literals(["search-replace", "unified-diff", "apply-patch", "exact", "undo"])
export type Format = typeof Format.Type

/** All edits of one call, in the order written. */
export const Edits = Schema.Struct({
  format: Format,
  files: Schema.Array(FileEdit),
  warnings: Schema.Array(Schema.String)
})
export type Edits = typeof Edits.Type

/**
 * How a block was located, from most to least certain: the steps of `Locate`, after `position` for lines added at a
 * given place, and `whole` for a file written as a whole.
 */
export const Strategy = Schema.Literals([
  "whole",
  "position",
  "exact",
  "trailing-whitespace",
  "whitespace",
  "look-alike",
  "anchors",
  "similar"
])
export type Strategy = typeof Strategy.Type

/** Which lines changed: 1-based ranges; if a count is 0, the start is the preceding line. */
export const Hunk = Schema.Struct({
  oldStart: Schema.Int,
  oldLines: Schema.Int,
  newStart: Schema.Int,
  newLines: Schema.Int,
  strategy: Strategy
})
export type Hunk = typeof Hunk.Type
