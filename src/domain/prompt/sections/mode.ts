/** What is to come out of a turn: a plan, or the work itself. */
import * as Family from "../ModelFamily.ts"
import type { Section } from "../Section.ts"

export const mode: Section = {
  name: "mode",
  place: "fixed",
  order: 20,
  priority: 2,
  required: true,
  render: (about) => Family.of(about).words[about.mode]
}
