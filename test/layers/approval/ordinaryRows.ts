/** The corpora of ordinary commands, and what each column of their expectations means. */
import * as fs from "node:fs"
import type { Mode } from "../../../src/domain/approval/Mode.ts"

/** A mode, with the allow rules of a run. A headless run denies what would ask. */
export interface Column {
  readonly name: string
  readonly mode: Mode
  readonly allow: ReadonlyArray<string>
  readonly headless: boolean
}

const interactive = (mode: Mode): Column => ({ name: mode, mode, allow: [], headless: false })
const headless = (name: string, allow: ReadonlyArray<string>): Column => ({ name: `-p, ${name}`, mode: "acceptEdits", allow, headless: true })

/** In the order of the letters after a category's name. */
export const columns: ReadonlyArray<Column> = [
  ...(["default", "acceptEdits", "auto", "plan"] as const).map(interactive),
  headless("npm test", ["Bash(npm test:*)"]),
  headless("scripts and commits", ["Bash(npm run build:*)", "Bash(npm run lint:*)", "Bash(npm run typecheck:*)", "Bash(git add:*)", "Bash(git commit:*)"]),
  headless("tests of other languages", ["Bash(pytest:*)", "Bash(python -m pytest:*)", "Bash(cargo test:*)", "Bash(go test:*)", "Bash(make test:*)", "Bash(ruff:*)"])
]

export type Decision = "allow" | "ask" | "deny"

export interface Row {
  readonly category: string
  readonly command: string
  /** One for each column. */
  readonly expected: ReadonlyArray<Decision>
}

const decisions: Readonly<Record<string, Decision>> = { a: "allow", k: "ask", d: "deny" }

/** The rows of a corpus, in which `workspace` stands for the folder. */
export const rowsOf = (file: URL, workspace: string): ReadonlyArray<Row> => {
  const lines = fs.readFileSync(file, "utf8").replace(/\n\t/g, "\u0000").split("\n").filter((line) => line !== "" && !line.startsWith("#"))
  let category = ""
  let expected: ReadonlyArray<Decision> = []
  return lines.flatMap((line) => {
    const [, name, letters] = /^== (.+) \| ([akd ]+)$/.exec(line) ?? []
    if (name === undefined) return [{ category, expected, command: line.replaceAll("\u0000", "\n").replaceAll("/home/dev/app", workspace) }]
    category = name
    expected = [...letters!.replaceAll(" ", "")].map((letter) => decisions[letter]!)
    return []
  })
}
