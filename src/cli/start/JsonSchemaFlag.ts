/** An answer that a program reads: JSON of a schema that the caller gave, asked for again while it is not. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { ValidateFunction } from "ajv"
import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import { InputError } from "../process/CliError.ts"
import { Host } from "../process/Host.ts"

/** How often an answer that does not fit is asked for again. */
export const retries = 3

/** `told` goes into the system prompt; `check` gives the value, or what is wrong in words for the model. */
export interface Structured {
  readonly told: string
  readonly check: (answer: string) => Result.Result<Schema.Json, string>
}

/** `word` is the schema itself, or the name of a file that holds it. */
export const read = Effect.fnUntraced(function*(word: string) {
  const { cwd } = yield* Host
  const inline = word.trimStart().startsWith("{")
  const text = inline ? word : yield* Effect.tryPromise({
    try: () => readFile(resolve(cwd, word), "utf8"),
    catch: (error) => new InputError({ message: `--json-schema: ${word} is no JSON Schema and no file that can be read: ${(error as NodeJS.ErrnoException).code}.` })
  })
  const validate = yield* Effect.tryPromise({
    try: () => compiled(text),
    catch: (error) => new InputError({ message: `--json-schema${inline ? "" : ` (${word})`} is no JSON Schema: ${error instanceof Error ? error.message : String(error)}.` })
  })
  return {
    told: `# The answer\n\nA program reads the result of each task. End with JSON alone, without prose and without a code fence, that conforms to this JSON Schema:\n\n${JSON.stringify(JSON.parse(text))}`,
    check: (answer) => Result.flatMap(parsed(answer), (value) => validate(value) ? Result.succeed(value) : Result.fail(problems(validate)))
  } satisfies Structured
})

/** What is said to a model whose answer does not fit. */
export const again = (problem: string): string =>
  `The answer does not conform to the JSON Schema: ${problem}. Give the whole answer again, as JSON alone.`

/** By the draft that the schema names; 2020-12 where it names none. */
const compiled = async (text: string): Promise<ValidateFunction> => {
  const { $schema = "", ...schema } = JSON.parse(text) as { readonly $schema?: string }
  const { Ajv, Ajv2020 } = await import("./AjvValidators.ts")
  return new (/draft-0[4-7]/.test($schema) ? Ajv : Ajv2020)({ allErrors: true, strict: false, validateFormats: false, logger: false }).compile(schema)
}

/** The answer as it stands, or what stands in its one code fence. */
const parsed = (answer: string): Result.Result<Schema.Json, string> => {
  const text = /^\s*```\w*\n([^]*)\n```\s*$/.exec(answer)?.[1] ?? answer
  return Result.try({ try: () => JSON.parse(text) as Schema.Json, catch: (error) => `it is no JSON (${(error as Error).message})` })
}

const problems = ({ errors }: ValidateFunction): string =>
  (errors ?? []).slice(0, 5).map(({ instancePath, message }) => `${instancePath === "" ? "the value" : instancePath} ${message}`).join("; ")
