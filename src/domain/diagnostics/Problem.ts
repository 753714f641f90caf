/** What a language server or a checker reports about a place in a file. */
import * as Truncate from "../tool/Truncate.ts"

/** `path` is relative to the working folder; line and column count from 1. */
export interface Problem {
  readonly path: string
  readonly line: number
  readonly column: number
  readonly severity: "error" | "warning" | "information" | "hint"
  readonly message: string
  /** The tool and the code of the message: `ts 2322`. */
  readonly source?: string
}

/** Limits: problems that are shown, and characters of one. */
const limits = { problems: 30, message: 300 }

const severities: ReadonlyArray<Problem["severity"]> = ["error", "warning", "information", "hint"]

/** Errors and warnings: what people see in an editor's list of problems. */
export const isShown = ({ severity }: Problem): boolean => severity === "error" || severity === "warning"

const identity = ({ message, path, severity, source = "" }: Problem): string => JSON.stringify([path, severity, source, message])

/** The problems that `before` did not have. An edit moves lines: a problem is the same if its text and its file are. */
export const added = (before: ReadonlyArray<Problem>, after: ReadonlyArray<Problem>): ReadonlyArray<Problem> => {
  const remaining = new Map<string, number>()
  for (const problem of before) remaining.set(identity(problem), (remaining.get(identity(problem)) ?? 0) + 1)
  return after.filter((problem) => {
    const count = remaining.get(identity(problem)) ?? 0
    remaining.set(identity(problem), count - 1)
    return count <= 0
  })
}

const compare = (a: Problem, b: Problem): number =>
  severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
  (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line || a.column - b.column)

/** One line each, errors first. */
export const render = (problems: ReadonlyArray<Problem>): string => {
  const lines = problems.toSorted(compare).slice(0, limits.problems).map(({ column, line, message, path, severity, source }) =>
    `${path}:${line}:${column}: ${severity}${source === undefined ? "" : ` ${source}`}: ${
      Truncate.line(message.replace(/\s+/g, " ").trim(), limits.message)
    }`
  )
  return [...lines, ...(problems.length > limits.problems ? [`[${problems.length - limits.problems} more.]`] : [])].join("\n")
}
