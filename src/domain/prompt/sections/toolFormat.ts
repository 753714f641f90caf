/** How to write a call, for models that write it as text. */
import type { Section } from "../Section.ts"

const xml = `You use a tool by writing it as XML in your answer, with one tag for each parameter:

<tool_name>
<parameter_name>value</parameter_name>
</tool_name>

Write tags exactly so: no attributes, no code fence around them, nothing escaped. Numbers and booleans are plain text, lists and objects are JSON. Content of files goes in as it is, beginning on a line of its own. You may call several tools in one answer; stop after the calls and wait: results come in the next message. Never write a result yourself.`

export const toolFormat: Section = {
  name: "tool format",
  place: "fixed",
  order: 30,
  priority: 2,
  required: true,
  when: ({ toolFormat }) => toolFormat === "xml",
  render: () => xml
}
