/** Why an edit did not apply, with what its writer needs to fix the failed block. */
import * as Schema from "effect/Schema"

export const Reason = Schema.Literals([
  /** The input contains no edit. */
  "NoEdit",
  /** The input breaks its format; `line` says where. */
  "Malformed",
  "NotFound",
  "Ambiguous",
  /** Two blocks change the same lines. */
  "Overlap",
  /** The replacement equals what it replaces. */
  "NoChange",
  "AlreadyApplied",
  /** An empty search text on a file that has content. */
  "NotEmpty",
  "FileExists",
  "FileMissing",
  "PathTwice",
  /** The edit names another file than the call. */
  "OtherFile"
])
export type Reason = typeof Reason.Type

/** The part of the file most similar to the search text: 1-based lines, and the differences. */
export const Nearest = Schema.Struct({
  startLine: Schema.Int,
  endLine: Schema.Int,
  similarity: Schema.Finite,
  /** `-` expected, `+` found, two spaces for equal lines. */
  diff: Schema.String
})
export type Nearest = typeof Nearest.Type

export const Failure = Schema.Struct({
  reason: Reason,
  message: Schema.String,
  path: Schema.optionalKey(Schema.String),
  /** 1-based, over all blocks of the call. */
  block: Schema.optionalKey(Schema.Int),
  /** 1-based line of the input. */
  line: Schema.optionalKey(Schema.Int),
  nearest: Schema.optionalKey(Nearest),
  /** 1-based lines of the file, if several places match equally well. */
  places: Schema.optionalKey(Schema.Array(Schema.Int))
})
export type Failure = typeof Failure.Type

/** Nothing was changed: every block that failed, and the numbers of those that would have applied. */
export class EditError extends Schema.TaggedError<EditError>()("EditError", {
  failures: Schema.NonEmptyArray(Failure),
  wouldApply: Schema.Array(Schema.Int)
}) {
  override get message(): string {
    const lines = this.failures.map(describe)
    if (this.wouldApply.length > 0) lines.push(`Would apply: ${blocks(this.wouldApply)}. Nothing was changed.`)
    return lines.join("\n")
  }
}

/** An error with a single cause. */
export const fail = (reason: Reason, message: string, details: Omit<Failure, "reason" | "message"> = {}): EditError =>
  new EditError({ failures: [{ reason, message, ...details }], wouldApply: [] })

const describe = ({ block, line, message, nearest, path }: Failure): string => {
  const subject = [
    path,
    block === undefined ? undefined : `block ${block}`,
    line === undefined ? undefined : `line ${line} of the input`
  ].filter((part) => part !== undefined).join(", ")
  const head = subject === "" ? message : `${subject}: ${message}`
  if (nearest === undefined) return head
  const percent = Math.round(nearest.similarity * 100)
  return `${head}\nNearest: lines ${nearest.startLine}-${nearest.endLine}, ${percent}% similar (- expected, + found):\n${nearest.diff}`
}

const blocks = (numbers: ReadonlyArray<number>): string => `${numbers.length === 1 ? "block" : "blocks"} ${numbers.join(", ")}`
