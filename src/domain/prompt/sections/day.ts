/** The day, where it is another than when it was last told. */
import type { Section } from "../Section.ts"

export const day: Section = {
  name: "day",
  place: "current",
  order: 95,
  priority: 3.9,
  render: ({ facts: { date, today = date }, known }) => known === undefined || today === (known.today ?? known.date) ? undefined : `It is ${today} now.`
}
