/** Results that a program reads: JSON that conforms to a schema; the model is asked to correct an invalid one. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

/** How often an invalid result is corrected. */
export const maxRetries = 3

/** What the model is told about the schema, a JSON Schema. */
export const instructions = (schema: unknown): string =>
  "# Output format\n\nA program reads the result of each task. Your final response must be JSON only, without prose and without " +
  `a code fence, and must conform to this JSON Schema:\n\n${JSON.stringify(schema)}`

/** The message to a model whose result is invalid. */
export const correctionPrompt = (problem: string): string =>
  `Your response does not conform to the JSON Schema: ${problem}. Send the complete response again, as JSON only.`

/** Parses the response, or the content of its only code fence. */
export const parse = (response: string): Result.Result<Schema.Json, string> => {
  const text = /^\s*```\w*\n([^]*)\n```\s*$/.exec(response)?.[1] ?? response
  return Result.try({ try: () => JSON.parse(text) as Schema.Json, catch: (error) => `it is not valid JSON (${(error as Error).message})` })
}
