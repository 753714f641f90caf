/**
 * Why an edit did not apply, with what its writer needs to fix the failed block. No schema: nothing stores these errors, and with one
 * each edit format would bring all of Schema into a browser.
 */
import * as Data from "effect/Data"

export type Reason =
  /** The input contains no edit. */
  | "NoEdit"
  /** The input breaks its format; `line` says where. */
  | "Malformed"
  | "NotFound"
  | "Ambiguous"
  /** Two blocks change the same lines. */
  | "Overlap"
  /** The replacement equals what it replaces. */
  | "NoChange"
  | "AlreadyApplied"
  /** An empty search text on a file that has content. */
  | "NotEmpty"
  | "FileExists"
  | "FileMissing"
  | "PathTwice"
  /** The edit names another file than the call. */
  | "OtherFile"

/** The part of the file most similar to the search text: 1-based lines, and the differences. */
export interface Nearest {
  readonly startLine: number
  readonly endLine: number
  readonly similarity: number
  /** `-` expected, `+` found, two spaces for equal lines. */
  readonly diff: string
}

/** One block that failed. */
export interface Failure {
  readonly reason: Reason
  readonly message: string
  readonly path?: string
  /** 1-based, over all blocks of the call. */
  readonly block?: number
  /** 1-based line of the input. */
  readonly line?: number
  readonly nearest?: Nearest
  /** 1-based lines of the file, if several places match equally well. */
  readonly places?: ReadonlyArray<number>
}

/** Nothing was changed: every block that failed, and the numbers of those that would have applied. */
export class EditError extends Data.TaggedError("EditError")<{
  readonly failures: readonly [Failure, ...ReadonlyArray<Failure>]
  readonly wouldApply: ReadonlyArray<number>
}> {
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
