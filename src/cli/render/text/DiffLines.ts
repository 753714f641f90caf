/** Lines of a unified diff, coloured; without colour their signs speak. */
import type { Theme } from "./Theme.ts"
import type { Shown } from "../view/DisplayText.ts"

/** Whether a text is a unified diff. */
export const isDiff = (text: string): boolean => /^(diff --git |--- |Index: |@@ )/.test(text)

/** How many lines it adds and removes. */
export const counts = (patch: Shown): { readonly added: number; readonly removed: number } => {
  let added = 0
  let removed = 0
  for (const line of patch.split("\n")) {
    if (line.startsWith("+") && !line.startsWith("+++")) added++
    if (line.startsWith("-") && !line.startsWith("---")) removed++
  }
  return { added, removed }
}

export const lines = (patch: Shown, theme: Theme): ReadonlyArray<string> =>
  patch.replace(/\n$/, "").split("\n").map((line) => paint(line, theme))

/** The hunks alone where one file is changed, whose name stands elsewhere; everything where there are several. */
export const hunks = (patch: Shown, theme: Theme): ReadonlyArray<string> => {
  const all = patch.replace(/\n$/, "").split("\n")
  const first = all.findIndex((line) => line.startsWith("@@"))
  const one = all.filter((line) => line.startsWith("+++ ")).length === 1 && first !== -1
  return (one ? all.slice(first) : all).map((line) => paint(line, theme))
}

/** One line by its sign. */
export const paint = (line: string, theme: Theme): string =>
  /^(\+\+\+|---|diff |index |Index: )/.test(line) ? theme.bold(line)
  : line.startsWith("+") ? theme.good(line)
  : line.startsWith("-") ? theme.bad(line)
  : line.startsWith("@@") ? theme.accent(line)
  : line
