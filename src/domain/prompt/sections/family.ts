/** What holds for models of this family alone. */
import * as Family from "../ModelFamily.ts"
import type { Section } from "../Section.ts"

export const family: Section = {
  name: "family notes",
  place: "fixed",
  order: 25,
  priority: 2,
  required: true,
  render: (about) => Family.of(about).words.notes
}
