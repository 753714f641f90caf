/** docs/providers.md says what the list says; `npx vitest run test/layers/provider/docs.test.ts -u` writes it anew. */
import { describe, expect, it } from "@effect/vitest"
import * as Catalogue from "../../../src/domain/provider/Catalogue.ts"
import { builtin } from "../../../src/layers/provider/builtin.ts"
import type { Route } from "../../../src/services/Route.ts"

const code = (text: string) => `\`${text}\``

const row = ({ baseUrl, baseUrlVariable, keyOptional, keys, name, place, title, wire }: Route): string =>
  `| ${[
    code(name),
    title,
    wire,
    keys.length === 0 ? "none" : keys.map(code).join(" or ") + (keyOptional !== true ? "" : place === undefined ? ", if it requires one" : ", or an account"),
    baseUrl === "" ? "" : code(baseUrl),
    [...(baseUrlVariable === undefined ? [] : [baseUrlVariable]), ...(place?.keys ?? [])].map(code).join(" or ")
  ].join(" | ")} |`

const page = `# Providers

All providers that dacapo knows, with their keys and addresses. A model is named \`provider/model\`, optionally with a reasoning effort:
\`openai/gpt-5.5:high\`. \`--base-url\` replaces the address of any provider. The model catalogue is models.dev's data of
${Catalogue.date}; local servers and OpenRouter report their own models. [Models and keys](models.md) explains how to choose.

| provider | name | wire | key | address | address from |
| --- | --- | --- | --- | --- | --- |
${builtin.map(row).join("\n")}

Cloud providers need more than a key:

- **Amazon Bedrock**: a Bedrock key in \`AWS_BEARER_TOKEN_BEDROCK\`, or an account: \`AWS_ACCESS_KEY_ID\`,
  \`AWS_SECRET_ACCESS_KEY\` and \`AWS_SESSION_TOKEN\`, or \`AWS_PROFILE\`, or any other credentials that the AWS SDK finds (a login, an
  instance role). Use Bedrock's model names: \`bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0\`.
- **Google Vertex AI**: \`gcloud auth application-default login\`, a service account file in \`GOOGLE_APPLICATION_CREDENTIALS\`,
  or an access token in one of the variables above. The project is \`GOOGLE_CLOUD_PROJECT\` (for Claude also
  \`ANTHROPIC_VERTEX_PROJECT_ID\`), otherwise the account's own; the default location is \`global\`.

Any \`LanguageModel\` of \`effect/ai\` can be a provider: add \`EffectAi.route(model, { name: "mine" })\` to the routes of
\`Live.layer\` ([Adding a provider](adding-a-provider.md)).
`

describe("the page of providers", () => {
  it("says what the list says", () => expect(page).toMatchFileSnapshot("../../../docs/providers.md"))
})

describe("the list of providers", () => {
  it("is in order, each name once", () => expect(builtin.map(({ name }) => name)).toEqual([...new Set(builtin.map(({ name }) => name))].sort()))
  it("states a key variable or that none is needed, and an address or the variable for it", () => {
    for (const { baseUrl, baseUrlVariable, keys, local, place, wire } of builtin.filter(({ wire }) => wire !== "script")) {
      expect(keys.every((key) => /^[A-Z0-9_]+$/.test(key)) && (keys.length > 0 || local), wire).toBe(true)
      expect(baseUrl === "" ? baseUrlVariable !== undefined : URL.canParse(place?.address({}) ?? baseUrl), baseUrl).toBe(true)
    }
  })
})
