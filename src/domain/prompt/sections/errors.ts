/** Faults that the last check of an earlier task left, told when a new one begins. */
import type { Render, Section } from "../Section.ts"

/** Lines that are told, and characters of one. */
const limits = { lines: 8, characters: 200 }

const told = (most: number): Render => ({ faults: { command, lines } = { command: "", lines: [] } }) => {
  const more = lines.length - most
  return [
    `The last check (${command.replace(/^\$ /, "").slice(0, limits.characters)}) found faults that nothing has shown to be gone:`,
    ...lines.slice(0, most).map((line) => line.slice(0, limits.characters)),
    ...(more > 0 ? [`[… ${more} more]`] : [])
  ].join("\n")
}

export const errors: Section = {
  name: "recent errors",
  place: "current",
  order: 105,
  priority: 2.5,
  when: ({ faults, turns }) => turns === 0 && faults !== undefined && faults.lines.length > 0,
  render: told(limits.lines),
  alternatives: [told(2)]
}
