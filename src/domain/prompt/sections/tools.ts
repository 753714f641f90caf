/** The tools as prose, for models that are not told them natively. */
import * as ToolSpec from "../../tool/ToolSpec.ts"
import type { About, Section } from "../Section.ts"

const told = (detail: ToolSpec.Detail) => ({ tools }: About): string =>
  `# Tools\n\n${tools.map((spec) => ToolSpec.toXml(spec, detail)).join(detail === "names" ? "\n" : "\n\n")}`

export const tools: Section = {
  name: "tools",
  place: "fixed",
  order: 40,
  priority: 6,
  required: true,
  when: ({ toolFormat, tools }) => toolFormat === "xml" && tools.length > 0,
  render: told("full"),
  alternatives: [told("short"), told("names")]
}
