/** The project's rules, farthest first, so that the nearest has the last word. */
import type { Section } from "../Section.ts"

const head = "# Project rules\n\nThe user and the project ask you to keep to these; a later file wins over an earlier one, and what the user says wins over both."

export const rules: Section = {
  name: "project rules",
  place: "fixed",
  order: 60,
  priority: 3,
  when: ({ facts }) => facts.rules.length > 0,
  render: ({ facts }) =>
    [head, ...facts.rules.map(({ path, text }) => `<rules path=${JSON.stringify(path)}>\n${text.trim()}\n</rules>`)].join("\n\n"),
  alternatives: [
    ({ facts }) => `${head}\n\nThey do not fit here: read them first. ${facts.rules.map(({ path }) => path).join(", ")}`
  ]
}
