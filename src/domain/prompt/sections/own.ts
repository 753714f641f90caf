/** What the user adds to the system prompt of this session. */
import type { Section } from "../Section.ts"

export const own: Section = {
  name: "own",
  place: "fixed",
  order: 95,
  priority: 1.5,
  required: true,
  render: ({ prompt }) => prompt?.also
}
