/** What lies in the working folder, as deep as there is room for. */
import type { About, Section } from "../Section.ts"

const to = (depth: number) => ({ facts: { tree = [] } }: About): string | undefined => {
  const shown = tree.filter((path) => path.replace(/\/$/, "").split("/").length <= depth)
  return shown.length === 0 ? undefined : `# Files\n\nWhen the session began, the nearest first (list_files shows more):\n${shown.join("\n")}`
}

export const tree: Section = {
  name: "directory tree",
  place: "fixed",
  order: 70,
  priority: 5,
  when: ({ facts: { tree = [] } }) => tree.length > 0,
  render: to(3),
  alternatives: [to(2), to(1)]
}
