/** Agents by name, for those who can give work away. */
import type { Section } from "../Section.ts"

export const agents: Section = {
  name: "agents",
  place: "fixed",
  order: 63,
  priority: 3.6,
  when: ({ facts: { agents = [] }, tools }) => agents.length > 0 && tools.some(({ name }) => name === "delegate"),
  render: ({ facts: { agents = [] } }) =>
    `# Agents\n\nAgents for kinds of work. Where a part of the task is of one of these kinds, you can give it to that agent: name it in a task of delegate.\n${agents.map(({ description, name }) => `- ${name}: ${description}`).join("\n")}`,
  alternatives: [({ facts: { agents = [] } }) => `# Agents\n\nA task of delegate can name one of these agents: ${agents.map(({ name }) => name).join(", ")}`]
}
