/** docs/providers.md says what the list says; `npx vitest run test/layers/provider/docs.test.ts -u` writes it anew. */
import { describe, expect, it } from "@effect/vitest"
import * as Catalogue from "../../../src/domain/provider/Catalogue.ts"
import { builtin } from "../../../src/layers/provider/builtin.ts"
import type { Route } from "../../../src/services/Route.ts"

const code = (text: string) => `\`${text}\``

const row = ({ baseUrl, baseUrlVariable, keyOptional, keys, name, title, wire }: Route): string =>
  `| ${[
    code(name),
    title,
    wire,
    keys.length === 0 ? "none" : keys.map(code).join(" or ") + (keyOptional === true ? ", if it asks for one" : ""),
    baseUrl === "" ? "" : code(baseUrl),
    baseUrlVariable === undefined ? "" : code(baseUrlVariable)
  ].join(" | ")} |`

const page = `# Providers

A model is named \`provider/model\`, with an effort after it where it thinks: \`openai/gpt-5.5:high\`. \`--base-url\` replaces the
address of any provider. What the catalogue knows of models is models.dev's data of ${Catalogue.date}; local servers and OpenRouter
state their own.

| provider | name | wire | key | address | address from |
| --- | --- | --- | --- | --- | --- |
${builtin.map(row).join("\n")}
`

describe("the page of providers", () => {
  it("says what the list says", () => expect(page).toMatchFileSnapshot("../../../docs/providers.md"))
})

describe("the list of providers", () => {
  it("is in order, each name once", () => expect(builtin.map(({ name }) => name)).toEqual([...new Set(builtin.map(({ name }) => name))].sort()))
  it("states a key variable or that none is needed, and an address or the variable for it", () => {
    for (const { baseUrl, baseUrlVariable, keys, local, wire } of builtin.filter(({ wire }) => wire !== "script")) {
      expect(keys.every((key) => /^[A-Z0-9_]+$/.test(key)) && (keys.length > 0 || local), wire).toBe(true)
      expect(baseUrl === "" ? baseUrlVariable !== undefined : URL.canParse(baseUrl), baseUrl).toBe(true)
    }
  })
})
