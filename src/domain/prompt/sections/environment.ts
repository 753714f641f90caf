/** Where the work happens: what is true for the whole session. */
import type { Section } from "../Section.ts"

export const environment: Section = {
  name: "environment",
  place: "fixed",
  order: 50,
  priority: 2.8,
  render: ({ cwd, facts, roots = [] }) =>
    [
      "# Environment",
      "",
      `Working folder: ${cwd} (paths are relative to it)`,
      ...(roots.length === 0 ? [] : [`Also open, by absolute paths: ${roots.join(", ")}`]),
      `Platform: ${facts.platform}; commands run in ${facts.shell}`,
      `The session began on ${facts.date}`
    ].join("\n")
}
