/** Prints the lists of commands: text for people, JSON for programs. */
import * as Effect from "effect/Effect"
import * as PathName from "../../domain/workspace/PathName.ts"
import type { Values } from "../args/Flags.ts"
import { Host } from "../process/Host.ts"
import * as StreamJson from "../render/json/StreamJson.ts"
import * as View from "../render/view/View.ts"

/** Prints text rows, one JSON array, or one JSON line per item. */
export const printList = Effect.fnUntraced(
  function*<A extends object>(
    { outputFormat = "text" }: Values,
    items: ReadonlyArray<A>,
    rowText: (one: A) => string,
    emptyMessage: string
  ) {
    const { stdout } = yield* Host
    yield* stdout.write(
      outputFormat === "text"
        ? items.map(rowText).join("") || emptyMessage
        : outputFormat === "json"
        ? StreamJson.line(items)
        : items.map(StreamJson.line).join("")
    )
  }
)

/** An item defined in a file: where, by whom, whether it is used here and, if not, why. */
export interface ListEntry {
  readonly name: string
  readonly description: string
  readonly from: "project" | "user"
  readonly path: string
  readonly used: boolean
  readonly why?: string
}

/** Whether a file belongs to the project in `cwd` or to the user. */
export const sourceOf = (cwd: string, path: string): ListEntry["from"] => path.startsWith(`${cwd}/`) ? "project" : "user"

/** Name and description, or why it was skipped; then its path and any extra lines. */
export const row =
  (cwd: string, extraLines: ReadonlyArray<string> = []) => ({ description, name, path, used, why = "" }: ListEntry): string =>
    [
      `${used ? "·" : "!"} ${singleLine(name).padEnd(20)} ${used ? singleLine(description) : `skipped: ${singleLine(why)}`}`,
      PathName.relativePath(cwd, path),
      ...extraLines
    ]
      .map((line, i) => i === 0 ? `${line}\n` : `${" ".repeat(23)}${singleLine(line)}\n`).join("")

export const singleLine = (text: string): string => View.text(text).replaceAll("\n", " ")
