/** The Anthropic wire in others' houses: on Google Vertex AI, and on Amazon Bedrock. */
import { anthropic } from "./anthropic.ts"
import { errorHeaders } from "./bedrock.ts"
import { common } from "./bedrockRules.ts"
import { contentType, event } from "./EventFrames.ts"
import { fields, type Rule, type Wire } from "./Wire.ts"

/** What the house asks for in place of Anthropic's own address, keys and version. */
const replaced = ["path", "key missing", "key invalid", "version header", "content type", "JSON", "model required", "model unknown"]

const inside = (version: RegExp, foreign: ReadonlyArray<string>): ReadonlyArray<Rule> => [
  {
    name: "version",
    status: 400,
    type: "invalid_request_error",
    refuses: (asked) => version.test(String(fields(asked).anthropic_version)) ? undefined : "anthropic_version: Field required"
  },
  ...anthropic.refusals.filter(({ name }) => !replaced.includes(name)).map((rule): Rule =>
    rule.name === "extra field"
      ? {
        ...rule,
        refuses: (asked) => {
          const { anthropic_version: _, ...body } = fields(asked)
          const extra = foreign.find((field) => field in body)
          return extra === undefined ? rule.refuses({ ...asked, body }) : `${extra}: Extra inputs are not permitted`
        }
      }
      : rule
  )
]

const path = /^\/v1\/projects\/[^/]+\/locations\/[^/]+\/publishers\/anthropic\/models\/([^/:]+):streamRawPredict$/

export const anthropicVertex: Wire = {
  ...anthropic,
  name: "anthropic-vertex",
  refusals: [
    { name: "path", status: 404, type: "not_found_error", refuses: (asked) => asked.method === "POST" && path.test(asked.path) ? undefined : "Requested entity was not found." },
    {
      name: "token",
      status: 401,
      type: "authentication_error",
      refuses: ({ headers }) =>
        /^Bearer \S/.test(headers.authorization ?? "") && !/invalid/.test(headers.authorization ?? "") && !headers["x-api-key"]
          ? undefined
          : "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential."
    },
    ...anthropic.refusals.filter(({ name }) => name === "content type" || name === "JSON"),
    { name: "model unknown", status: 404, type: "not_found_error", refuses: (asked) => /no-such/.test(path.exec(asked.path)?.[1] ?? "") ? "Publisher Model was not found or your project does not have access to it." : undefined },
    ...inside(/^vertex-2023-10-16$/, ["model"])
  ]
}

/** Each event as base64 in a frame; what only keeps a connection open is not sent here. */
export const anthropicBedrock: Wire = {
  name: "anthropic-bedrock",
  refusals: [...common(/^invoke-with-response-stream$/), ...inside(/^bedrock-2023-05-31$/, ["model", "stream"])],
  contentType,
  error: (_, message) => ({ message }),
  errorHeaders,
  frames: (turn, asked) =>
    anthropic.frames(turn, asked)
      .map((frame) => String(frame).replace(/^[^]*?data: /, "").trim())
      .filter((data) => !data.includes("\"type\":\"ping\""))
      .map((data) => event("chunk", { bytes: Buffer.from(data).toString("base64"), p: "abcdefghijk" }))
}
