/** Lists as commands show them: lines for people, JSON for programs. */
import * as Effect from "effect/Effect"
import * as PathName from "../../domain/workspace/PathName.ts"
import type { Values } from "../args/Flags.ts"
import { Host } from "../process/Host.ts"
import * as Json from "../render/json/StreamJson.ts"
import * as View from "../render/view/View.ts"

/** In text a line or two each, else JSON: a list, or a line each. */
export const tell = Effect.fnUntraced(function*<A extends object>({ outputFormat = "text" }: Values, all: ReadonlyArray<A>, row: (one: A) => string, none: string) {
  const { stdout } = yield* Host
  yield* stdout.write(outputFormat === "text" ? all.map(row).join("") || none : outputFormat === "json" ? Json.line(all) : all.map(Json.line).join(""))
})

/** Something that was written down in a file: where, by whom, whether it is used here, and if not, why. */
export interface Written {
  readonly name: string
  readonly description: string
  readonly from: "project" | "user"
  readonly path: string
  readonly used: boolean
  readonly why?: string
}

/** Who wrote what lies at this path, for a session in `cwd`. */
export const from = (cwd: string, path: string): Written["from"] => path.startsWith(`${cwd}/`) ? "project" : "user"

/** Name and description, or why it is left out; where it lies; and what else there is to say of it. */
export const row = (cwd: string, more: ReadonlyArray<string> = []) => ({ description, name, path, used, why = "" }: Written): string =>
  [`${used ? "·" : "!"} ${flat(name).padEnd(20)} ${used ? flat(description) : `left out: ${flat(why)}`}`, PathName.of(cwd, path), ...more]
    .map((line, i) => i === 0 ? `${line}\n` : `${" ".repeat(23)}${flat(line)}\n`).join("")

const flat = (text: string): string => View.text(text).replaceAll("\n", " ")
