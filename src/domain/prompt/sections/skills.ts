/** Skills by name: their instructions are read when they are needed. */
import type { Section } from "../Section.ts"

export const skills: Section = {
  name: "skills",
  place: "fixed",
  order: 62,
  priority: 3.4,
  when: ({ facts: { skills = [] } }) => skills.length > 0,
  render: ({ facts: { skills = [] } }) =>
    `# Skills\n\nInstructions for kinds of work. When the task is of one of these kinds, read it with read_skill before you begin.\n${skills.map(({ description, name }) => `- ${name}: ${description}`).join("\n")}`,
  alternatives: [({ facts: { skills = [] } }) => `# Skills\n\nRead one with read_skill where its name fits the task: ${skills.map(({ name }) => name).join(", ")}`]
}
