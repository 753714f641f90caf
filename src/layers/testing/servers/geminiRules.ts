/** What the Gemini service rejects, in its words. */
import { type WireRequest, fields, firstMessage, list, type UnknownRecord, record, type Rule, firstDuplicate, isBase64 } from "./Wire.ts"

const invalid = (name: string, refuses: Rule["refuses"]): Rule => ({ name, status: 400, refuses })

const paths =
  /^\/(v\d\w*)\/(?:projects\/[^/]+\/locations\/[^/]+\/publishers\/google\/)?models\/([^/:]+):(?:streamGenerateContent|generateContent)$/
const modelOf = ({ path }: WireRequest): string => paths.exec(path)?.[2] ?? ""
const onVertex = ({ path }: WireRequest): boolean => path.includes("/projects/")

const contents = (request: WireRequest): ReadonlyArray<UnknownRecord> => list(fields(request).contents)
const partsOf = (content: UnknownRecord | undefined): ReadonlyArray<UnknownRecord> => list(content?.parts)
const partsWith = (content: UnknownRecord | undefined, field: string): ReadonlyArray<UnknownRecord> =>
  partsOf(content).filter((part) => field in part)
const inContents =
  (f: (content: UnknownRecord, i: number, all: ReadonlyArray<UnknownRecord>) => string | undefined) => (request: WireRequest) =>
    firstMessage(contents(request), (content, i) => f(content, i, contents(request)))
const inParts = (f: (part: UnknownRecord, at: string, role: unknown) => string | undefined) =>
  inContents(({ parts, role }, i) => firstMessage(list(parts), (part, j) => f(part, `contents[${i}].parts[${j}]`, role)))
const extra = (value: UnknownRecord, fieldNames: ReadonlyArray<string>): string | undefined =>
  Object.keys(value).find((field) => !fieldNames.includes(field))
const unknownName = (name: string, at: string) => `Invalid JSON payload received. Unknown name "${name}" at '${at}': Cannot find field.`

const declarations = (request: WireRequest): ReadonlyArray<UnknownRecord> =>
  list(fields(request).tools).flatMap(({ functionDeclarations }) => list(functionDeclarations))
const inDeclarations = (f: (tool: UnknownRecord, at: string) => string | undefined) => (request: WireRequest) =>
  firstMessage(declarations(request), (tool, i) => f(tool, `tools[0].function_declarations[${i}]`))

/** Every schema in the declarations, with its location. */
const schemas = (schema: unknown, at: string): ReadonlyArray<readonly [schema: UnknownRecord, at: string]> => {
  if (typeof schema !== "object" || schema === null) return []
  const { anyOf, items, properties } = schema as UnknownRecord
  return [
    [schema as UnknownRecord, at] as const,
    ...Object.entries(record(properties)).flatMap(([name, part]) => schemas(part, `${at}.properties[${name}]`)),
    ...schemas(items, `${at}.items`),
    ...list(anyOf).flatMap((part, i) => schemas(part, `${at}.any_of[${i}]`))
  ]
}
const inSchemas = (f: (schema: UnknownRecord, at: string) => string | undefined) =>
  inDeclarations(({ parameters }, at) => firstMessage(schemas(parameters, `${at}.parameters`), ([schema, at]) => f(schema, at)))

const config = (request: WireRequest) => record(fields(request).generationConfig)
const thinking = (request: WireRequest) => record(config(request).thinkingConfig)

const topLevelFields = [
  "contents",
  "systemInstruction",
  "tools",
  "toolConfig",
  "generationConfig",
  "safetySettings",
  "cachedContent",
  "labels"
]
const partFields = [
  "text",
  "thought",
  "thoughtSignature",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
  "executableCode",
  "codeExecutionResult",
  "videoMetadata"
]
const callFields = ["id", "name", "args", "partialArgs", "willContinue"]
const responseFields = ["id", "name", "response", "parts", "willContinue", "scheduling"]
const configFields = [
  "maxOutputTokens",
  "temperature",
  "topP",
  "topK",
  "candidateCount",
  "stopSequences",
  "seed",
  "thinkingConfig",
  "responseMimeType",
  "responseSchema",
  "responseJsonSchema",
  "responseModalities",
  "presencePenalty",
  "frequencyPenalty",
  "responseLogprobs",
  "logprobs",
  "mediaResolution",
  "speechConfig",
  "imageConfig"
]
const schemaFields = [
  "type",
  "format",
  "title",
  "description",
  "nullable",
  "enum",
  "maxItems",
  "minItems",
  "properties",
  "required",
  "minProperties",
  "maxProperties",
  "minLength",
  "maxLength",
  "pattern",
  "example",
  "anyOf",
  "propertyOrdering",
  "default",
  "items",
  "minimum",
  "maximum"
]
const types = ["string", "number", "integer", "boolean", "array", "object", "null"]
const formats: Readonly<Record<string, ReadonlyArray<string>>> = {
  string: ["enum", "date-time"],
  number: ["float", "double"],
  integer: ["int32", "int64"]
}
const media = /^(?:image\/(?:png|jpeg|gif|webp|heic|heif)|application\/pdf|text\/plain)$/
const namePattern = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/
const struct = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value)

/** Signatures from this server begin like this; the other is for imported histories. */
export const signature = "sig_"
const skipSignature = "skip_thought_signature_validator"
const hasSignatures = (request: WireRequest): boolean => /^gemini-[3-9]/.test(modelOf(request))

export const refusals: ReadonlyArray<Rule> = [
  {
    name: "path",
    status: 404,
    refuses: ({ method, path }) => method === "POST" && paths.test(path) ? undefined : "Requested entity was not found."
  },
  {
    name: "key missing",
    status: 403,
    refuses: (request) =>
      onVertex(request) || request.headers["x-goog-api-key"]
        ? undefined
        : "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API."
  },
  {
    name: "key invalid",
    status: 400,
    type: "API_KEY_INVALID",
    refuses: ({ headers }) =>
      /invalid/.test(headers["x-goog-api-key"] ?? "") ? "API key not valid. Please pass a valid API key." : undefined
  },
  {
    name: "token",
    status: 401,
    refuses: (request) =>
      !onVertex(request) ||
        (/^Bearer \S/.test(request.headers.authorization ?? "") && !/invalid/.test(request.headers.authorization ?? "") &&
          !request.headers["x-goog-api-key"])
        ? undefined
        : "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential."
  },
  invalid(
    "content type",
    ({ headers }) => /^application\/json/.test(headers["content-type"] ?? "") ? undefined : "Content type must be application/json."
  ),
  invalid("JSON", ({ body }) => body === undefined ? "Invalid JSON payload received. Unexpected token." : undefined),
  {
    name: "model unknown",
    status: 404,
    refuses: (request) =>
      /no-such/.test(modelOf(request))
        ? `models/${
          modelOf(request)
        } is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`
        : undefined
  },
  invalid("extra field", (request) => {
    const name = extra(fields(request), topLevelFields)
    return name === undefined ? undefined : `Invalid JSON payload received. Unknown name "${name}": Cannot find field.`
  }),
  invalid(
    "contents required",
    (request) => contents(request).length === 0 ? "* GenerateContentRequest.contents: contents is not specified" : undefined
  ),
  invalid("role", inContents(({ role }) => role === "user" || role === "model" ? undefined : "Please use a valid role: user, model.")),
  invalid(
    "parts empty",
    inContents((content, i) =>
      partsOf(content).length === 0 ? `* GenerateContentRequest.contents[${i}].parts: contents.parts must not be empty.` : undefined
    )
  ),
  invalid(
    "extra field of a part",
    inParts((part, at) => {
      const name = extra(part, partFields) ?? extra(record(part.functionCall), callFields) ??
        extra(record(part.functionResponse), responseFields)
      return name === undefined ? undefined : unknownName(name, at)
    })
  ),
  invalid(
    "text empty",
    inParts((part, at) =>
      typeof part.text === "string" && part.text.trim() === "" && part.thoughtSignature === undefined
        ? `* GenerateContentRequest.${at}.data: required oneof field 'data' must have one initialized field` : undefined
    )
  ),
  invalid("system empty", (request) => {
    const { systemInstruction } = fields(request)
    return systemInstruction !== undefined && partsOf(record(systemInstruction)).every(({ text }) => String(text).trim() === "")
      ? "* GenerateContentRequest.system_instruction.parts: must not be empty."
      : undefined
  }),
  invalid(
    "call of the user",
    inParts((part, _, role) =>
      role === "user" && "functionCall" in part
        ? "Please ensure that function call turn comes immediately after a user turn or after a function response turn." : undefined
    )
  ),
  invalid(
    "result of the model",
    inParts((part, _, role) =>
      role === "model" && "functionResponse" in part
        ? "Please ensure that function response turn comes immediately after a function call turn." : undefined
    )
  ),
  invalid(
    "first role",
    inContents(({ role }, i) => i === 0 && role === "model" ? "Please ensure that multiturn requests start with a user turn." : undefined)
  ),
  invalid(
    "last role",
    inContents(({ role }, i, all) =>
      i === all.length - 1 && role === "model" ? "Please ensure that multiturn requests ends with a user role or a function response."
        : undefined
    )
  ),
  invalid(
    "calls before the user",
    inContents((content, i, all) =>
      partsWith(content, "functionCall").length > 0 && all[i - 1]?.role !== "user"
        ? "Please ensure that function call turn comes immediately after a user turn or after a function response turn." : undefined
    )
  ),
  invalid(
    "result without calls",
    inContents((content, i, all) =>
      partsWith(content, "functionResponse").length > 0 && partsWith(all[i - 1], "functionCall").length === 0
        ? "Please ensure that function response turn comes immediately after a function call turn." : undefined
    )
  ),
  invalid(
    "as many results as calls",
    inContents((content, i, all) => {
      const calls = content.role === "model" ? partsWith(content, "functionCall").length : 0
      return calls > 0 && partsWith(all[i + 1], "functionResponse").length !== calls
        ? "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn."
        : undefined
    })
  ),
  invalid(
    "result names its call",
    inContents((content, i, all) => {
      const calls = partsWith(all[i - 1], "functionCall").map(({ functionCall }) => record(functionCall))
      return firstMessage(partsWith(content, "functionResponse"), ({ functionResponse }) => {
        const { id, name } = record(functionResponse)
        return calls.some((call) => call.name === name && call.id === id) ? undefined
          : `The function response for ${String(name)} (${String(id)}) has no matching function call.`
      })
    })
  ),
  invalid(
    "call ids unique",
    (request) =>
      firstDuplicate(
          contents(request).flatMap((content) =>
            partsWith(content, "functionCall").flatMap(({ functionCall }) => {
              const { id } = record(functionCall)
              return id === undefined ? [] : [String(id)]
            })
          )
        ) === undefined ? undefined : "Duplicate function call id found."
  ),
  invalid(
    "call name",
    inParts(({ functionCall }, at) =>
      functionCall !== undefined && !namePattern.test(String(record(functionCall).name))
        ? `* GenerateContentRequest.${at}.function_call.name: Invalid function name.` : undefined
    )
  ),
  invalid(
    "call args",
    inParts(({ functionCall }, at) =>
      functionCall !== undefined && !struct(record(functionCall).args ?? {})
        ? `Invalid value at '${at}.function_call.args' (type.googleapis.com/google.protobuf.Struct)` : undefined
    )
  ),
  invalid(
    "result response",
    inParts(({ functionResponse }, at) =>
      functionResponse !== undefined && !struct(record(functionResponse).response)
        ? `Invalid value at '${at}.function_response.response' (type.googleapis.com/google.protobuf.Struct)` : undefined
    )
  ),
  invalid(
    "file kind",
    inParts(({ inlineData }) =>
      inlineData !== undefined && !media.test(String(record(inlineData).mimeType))
        ? `Unsupported MIME type: ${String(record(inlineData).mimeType)}` : undefined
    )
  ),
  invalid(
    "file data",
    inParts(({ inlineData }, at) =>
      inlineData !== undefined && !isBase64(String(record(inlineData).data))
        ? `Invalid value at '${at}.inline_data.data' (TYPE_BYTES), Base64 decoding failed` : undefined
    )
  ),
  invalid(
    "signature",
    inParts(({ thoughtSignature }) =>
      thoughtSignature === undefined || String(thoughtSignature).startsWith(signature) || thoughtSignature === skipSignature ? undefined
        : "Corrupted thought signature."
    )
  ),
  invalid("signature missing", (request) =>
    firstMessage(contents(request), (content, i) => {
      const [call] = partsWith(content, "functionCall")
      return hasSignatures(request) && call !== undefined && call.thoughtSignature === undefined
        ? `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Function call \`default_api:${
          String(record(call.functionCall).name)
        }\`, position ${i + 1}.`
        : undefined
    })),
  invalid(
    "tool name",
    inDeclarations(({ name }, at) =>
      namePattern.test(String(name)) ? undefined
        : `* GenerateContentRequest.${at}.name: Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.`
    )
  ),
  invalid("tool names unique", (request) => {
    const name = firstDuplicate(declarations(request).map(({ name }) => String(name)))
    return name === undefined ? undefined : `Duplicate function declaration found: ${name}`
  }),
  invalid(
    "extra field of a tool",
    inDeclarations((tool, at) => {
      const name = extra(tool, ["name", "description", "parameters", "parametersJsonSchema", "response", "responseJsonSchema", "behavior"])
      return name === undefined ? undefined : unknownName(name, at)
    })
  ),
  invalid(
    "schema type",
    inSchemas(({ anyOf, type }, at) =>
      Array.isArray(type) ?
        `Invalid JSON payload received. Unknown name "type" at '${at}': Proto field is not repeating, cannot start list.`
        : anyOf !== undefined || types.includes(String(type).toLowerCase()) ? undefined
        : `* GenerateContentRequest.${at}.type: must be specified`
    )
  ),
  invalid(
    "schema field",
    inSchemas((schema, at) => {
      const name = extra(schema, schemaFields)
      return name === undefined ? undefined : unknownName(name, at)
    })
  ),
  invalid(
    "schema of an object",
    inSchemas(({ properties, type }, at) =>
      type === "object" && (at.endsWith(".parameters") || properties !== undefined) && Object.keys(record(properties)).length === 0
        ? `* GenerateContentRequest.${at}.properties: should be non-empty for OBJECT type` : undefined
    )
  ),
  invalid(
    "schema of an array",
    inSchemas(({ items, type }, at) =>
      type === "array" && items === undefined ? `* GenerateContentRequest.${at}.items: missing field.` : undefined
    )
  ),
  invalid(
    "schema required",
    inSchemas(({ properties, required }, at) =>
      firstMessage(
        (required ?? []) as ReadonlyArray<string>,
        (name, i) => name in record(properties) ? undefined : `* GenerateContentRequest.${at}.required[${i}]: property is not defined`
      )
    )
  ),
  invalid(
    "schema enum",
    inSchemas(({ enum: values, type }, at) =>
      values !== undefined &&
        (type !== "string" || (values as ReadonlyArray<unknown>).some((value) => typeof value !== "string" || value === ""))
        ? `* GenerateContentRequest.${at}.enum: only allowed for STRING type, and must not be empty` : undefined
    )
  ),
  invalid(
    "schema format",
    inSchemas(({ format, type }, at) =>
      format !== undefined && !formats[String(type)]?.includes(String(format))
        ? `* GenerateContentRequest.${at}.format: only 'enum' and 'date-time' are supported for STRING type` : undefined
    )
  ),
  invalid("extra field of the settings", (request) => {
    const name = extra(config(request), configFields) ?? extra(thinking(request), ["includeThoughts", "thinkingBudget", "thinkingLevel"])
    return name === undefined ? undefined : unknownName(name, "generation_config")
  }),
  invalid("temperature range", (request) => {
    const { temperature } = config(request)
    return temperature === undefined || (Number(temperature) >= 0 && Number(temperature) <= 2) ? undefined
      : `Unable to submit request because it has a temperature value of ${
        String(temperature)
      } but the supported range is from 0 (inclusive) to 2.0001 (exclusive). Update the value and try again.`
  }),
  invalid("limit range", (request) => {
    const { maxOutputTokens = 1 } = config(request)
    return Number(maxOutputTokens) >= 1 && Number(maxOutputTokens) <= 65_536 ? undefined
      : `Unable to submit request because it has a maxOutputTokens value of ${
        String(maxOutputTokens)
      } but the supported range is from 1 (inclusive) to 65537 (exclusive). Update the value and try again.`
  }),
  invalid(
    "budget and level",
    (request) =>
      thinking(request).thinkingBudget !== undefined && thinking(request).thinkingLevel !== undefined
        ? "You can only set only one of thinking budget and thinking level." : undefined
  ),
  invalid(
    "level of a model with budgets",
    (request) =>
      thinking(request).thinkingLevel !== undefined && !hasSignatures(request) ? "Thinking level is not supported for this model."
        : undefined
  ),
  invalid(
    "level",
    (request) =>
      ["minimal", "low", "medium", "high", "undefined"].includes(String(thinking(request).thinkingLevel).toLowerCase()) ? undefined
        : `Invalid value at 'generation_config.thinking_config.thinking_level': "${String(thinking(request).thinkingLevel)}"`
  ),
  invalid("budget range", (request) => {
    const { thinkingBudget } = thinking(request)
    const budget = Number(thinkingBudget)
    const [minBudget, maxBudget] = /pro/.test(modelOf(request)) ? [128, 32_768] : [0, 24_576]
    return thinkingBudget === undefined || budget === -1 || (budget >= minBudget && budget <= maxBudget) ? undefined
      : `The thinking budget ${budget} is invalid. Please choose a value between ${minBudget} and ${maxBudget}.`
  })
]
