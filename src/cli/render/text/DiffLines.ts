/** Colours the lines of a unified diff. */
import type { Theme } from "./Theme.ts"
import type { SafeText } from "../view/DisplayText.ts"

/** Whether a text is a unified diff. */
export const isDiff = (text: string): boolean => /^(diff --git |--- |Index: |@@ )/.test(text)

/** The number of added and removed lines. */
export const counts = (patch: SafeText): { readonly added: number; readonly removed: number } => {
  let added = 0
  let removed = 0
  for (const line of patch.split("\n")) {
    if (line.startsWith("+") && !line.startsWith("+++")) added++
    if (line.startsWith("-") && !line.startsWith("---")) removed++
  }
  return { added, removed }
}

export const lines = (patch: SafeText, theme: Theme): ReadonlyArray<string> =>
  patch.replace(/\n$/, "").split("\n").map((line) => paint(line, theme))

/** Only the hunks if the diff changes one file, whose name is shown elsewhere; else the whole diff. */
export const hunks = (patch: SafeText, theme: Theme): ReadonlyArray<string> => {
  const all = patch.replace(/\n$/, "").split("\n")
  const first = all.findIndex((line) => line.startsWith("@@"))
  const isSingleFile = all.filter((line) => line.startsWith("+++ ")).length === 1 && first !== -1
  return (isSingleFile ? all.slice(first) : all).map((line) => paint(line, theme))
}

/** Colours one line by its sign. */
export const paint = (line: string, theme: Theme): string =>
  /^(\+\+\+|---|diff |index |Index: )/.test(line) ? theme.bold(line)
    : line.startsWith("+") ? theme.good(line)
    : line.startsWith("-") ? theme.bad(line)
    : line.startsWith("@@") ? theme.accent(line)
    : line
