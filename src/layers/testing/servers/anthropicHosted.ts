/** The Anthropic wire on other platforms: Google Vertex AI and Amazon Bedrock. */
import { anthropic } from "./anthropic.ts"
import { errorHeaders } from "./bedrock.ts"
import { common } from "./bedrockRules.ts"
import { contentType, event } from "./EventFrames.ts"
import { fields, type Rule, type Wire } from "./Wire.ts"

/** What the platform requires in place of Anthropic's own address, keys and version. */
const replacedRules = ["path", "key missing", "key invalid", "version header", "content type", "JSON", "model required", "model unknown"]

const hostedRules = (version: RegExp, foreign: ReadonlyArray<string>): ReadonlyArray<Rule> => [
  {
    name: "version",
    status: 400,
    type: "invalid_request_error",
    refuses: (request) => version.test(String(fields(request).anthropic_version)) ? undefined : "anthropic_version: Field required"
  },
  ...anthropic.refusals.filter(({ name }) => !replacedRules.includes(name)).map((rule): Rule =>
    rule.name === "extra field"
      ? {
        ...rule,
        refuses: (request) => {
          const { anthropic_version: _, ...body } = fields(request)
          const extra = foreign.find((field) => field in body)
          return extra === undefined ? rule.refuses({ ...request, body }) : `${extra}: Extra inputs are not permitted`
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
    {
      name: "path",
      status: 404,
      type: "not_found_error",
      refuses: (request) => request.method === "POST" && path.test(request.path) ? undefined : "Requested entity was not found."
    },
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
    {
      name: "model unknown",
      status: 404,
      type: "not_found_error",
      refuses: (request) =>
        /no-such/.test(path.exec(request.path)?.[1] ?? "") ? "Publisher Model was not found or your project does not have access to it."
          : undefined
    },
    ...hostedRules(/^vertex-2023-10-16$/, ["model"])
  ]
}

/** Each event as base64 in a frame; keep-alive events are not sent here. */
export const anthropicBedrock: Wire = {
  name: "anthropic-bedrock",
  refusals: [...common(/^invoke-with-response-stream$/), ...hostedRules(/^bedrock-2023-05-31$/, ["model", "stream"])],
  contentType,
  error: (_, message) => ({ message }),
  errorHeaders,
  frames: (turn, request) =>
    anthropic.frames(turn, request)
      .map((frame) => String(frame).replace(/^[^]*?data: /, "").trim())
      .filter((data) => !data.includes("\"type\":\"ping\""))
      .map((data) => event("chunk", { bytes: Buffer.from(data).toString("base64"), p: "abcdefghijk" }))
}
