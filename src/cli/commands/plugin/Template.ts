/** The files of a new plugin: a command, a skill, a tool without code and one with code, and a test. */

/** File contents by name, for a plugin called `name`. */
export const files = (name: string): Readonly<Record<string, string>> => ({
  ".claude-plugin/plugin.json": `${
    JSON.stringify({ name, version: "0.1.0", description: `What ${name} is for.`, module: "./index.mjs" }, null, 2)
  }\n`,
  "package.json": `${
    JSON.stringify(
      {
        name: `dacapo-plugin-${name}`,
        version: "0.1.0",
        type: "module",
        files: [".claude-plugin", "commands", "skills", "tools", "index.mjs"],
        scripts: { test: "node --test" }
      },
      null,
      2
    )
  }\n`,
  "commands/greet.md": `---
description: Greet someone.
argument-hint: "[name]"
---
Write one friendly sentence for $ARGUMENTS.
`,
  "skills/greeting/SKILL.md": `---
name: greeting
description: How to greet people. Use it before you write a greeting.
---
Greetings are short, and name the person.
`,
  "tools/count_lines.md": `---
description: Count the lines of a file.
schema:
  type: object
  properties:
    path:
      type: string
      description: The file, relative to the working directory.
  required: [path]
---
The arguments are in variables: \`path\` is \`ARG_PATH\`. Always write them in double quotes.

\`\`\`bash
wc -l -- "$ARG_PATH"
\`\`\`
`,
  "index.mjs": `/** The code of ${name}. It runs in dacapo's own process, once its user allowed it. */

export const tools = [{
  name: "greet",
  description: "Greet someone by name.",
  schema: {
    type: "object",
    properties: { name: { type: "string", description: "Name of the person to greet." } },
    required: ["name"]
  },
  run: ({ name }) => \`Hello, \${name}.\`
}]

/** What people see of a result, in place of the text that the model reads. */
export const renderers = { greet: ({ text }) => \`👋 \${text}\` }
`,
  "index.test.mjs": `import assert from "node:assert/strict"
import { readFile } from "node:fs/promises"
import { test } from "node:test"
import * as plugin from "./index.mjs"

test("greets by name", () => {
  assert.equal(plugin.tools[0].run({ name: "Ada" }), "Hello, Ada.")
})

test("has a manifest that names its code", async () => {
  const manifest = JSON.parse(await readFile(new URL(".claude-plugin/plugin.json", import.meta.url), "utf8"))
  assert.equal(manifest.name, ${JSON.stringify(name)})
  assert.equal(manifest.module, "./index.mjs")
})
`
})
