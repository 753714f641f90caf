import { assert, describe, expect, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import * as ToolSpec from "../../src/domain/tool/ToolSpec.ts"
import * as conformance from "../../src/layers/testing/conformance/tool.ts"
import { builtin } from "../../src/layers/tool/builtin.ts"
import type { Any } from "../../src/services/Tool.ts"
import { CountLines } from "./CountLines.ts"

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8")

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ")

/** One row a tool: what it is called, what it takes, what it does to the world. */
const row = (tool: Any): string => {
  const params = ToolSpec.fromParams(tool).params.map(({ name, required }) => `\`${name}\`${required ? "*" : ""}`).join(", ")
  const names = [`**${tool.name}**`, ...(tool.aliases ?? []).map((alias) => `\`${alias}\``)].join("<br>")
  const kind = tool.modes === undefined ? tool.kind : `${tool.kind}, only in ${tool.modes} mode`
  return `| ${names} | ${params} | ${kind} | ${cell(tool.description)} |`
}

const table = `# Tools

The built-in tools with the descriptions that the model sees, generated from \`src/layers/tool/builtin.ts\`. Each tool also accepts
the names below its own. \`*\` marks required params. In plan mode only tools that read are offered, and
run_command for commands that only read. web_search and search_code are off until you [turn them on](searching.md).

| tool | params | kind | description |
| --- | --- | --- | --- |
${builtin.map((tool: Any) => row(tool)).join("\n")}
`

describe("docs/tools.md", () => {
  it("lists the tools as they are", () => expect(table).toMatchFileSnapshot("../../docs/tools.md"))
})

describe("docs/adding-a-tool.md", () => {
  it("shows a tool that compiles", () => {
    const shown = read("./CountLines.ts").replaceAll("../../src/", "../../").trim()
    assert.include(read("../../docs/adding-a-tool.md"), `\`\`\`ts\n${shown}\n\`\`\``)
  })

  for (const { name, run } of conformance.cases(CountLines)) it.effect(`shows a tool that ${name}`, () => run)
})
