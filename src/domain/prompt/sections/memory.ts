/** The memory bank: what earlier sessions found worth keeping. */
import type { Section } from "../Section.ts"

const head = "# Memory bank\n\nWhat earlier sessions kept about this project, in memory-bank/. When your work makes any of it untrue, or the user asks, bring the file up to date with edit_file; activeContext.md and progress.md change most."

export const memory: Section = {
  name: "memory bank",
  place: "fixed",
  order: 65,
  priority: 3.2,
  when: ({ facts: { memory = [] } }) => memory.length > 0,
  render: ({ facts: { memory = [] } }) => [head, ...memory.map(({ path, text }) => `<file path=${JSON.stringify(path)}>\n${text.trim()}\n</file>`)].join("\n\n"),
  alternatives: [({ facts: { memory = [] } }) => `${head}\n\nIt does not fit here: read first ${memory.map(({ path }) => path).join(", ")}.`]
}
