/** Who the model is here, and how it works: the user's own words where they gave some, else those of its family. */
import * as Family from "../ModelFamily.ts"
import type { Section } from "../Section.ts"

export const base: Section = {
  name: "base",
  place: "fixed",
  order: 10,
  priority: 1,
  required: true,
  render: (about) => about.prompt?.instead ?? Family.of(about).words.base,
  alternatives: [({ prompt }) => prompt?.instead ?? Family.shortest]
}
