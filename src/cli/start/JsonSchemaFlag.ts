/** `--json-schema`: a result that conforms to a JSON Schema; the model is asked to correct an invalid one. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { ValidateFunction } from "ajv"
import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import * as StructuredResult from "../../domain/session/StructuredResult.ts"
import { InputError } from "../process/CliError.ts"
import { Host } from "../process/Host.ts"

/** `instructions` go into the system prompt; `check` returns the value, or a problem to send to the model. */
export interface SchemaCheck {
  readonly instructions: string
  readonly check: (response: string) => Result.Result<Schema.Json, string>
}

/** Reads a schema, given inline or as the name of a file. */
export const read = Effect.fnUntraced(function*(argument: string) {
  const { cwd } = yield* Host
  const isInline = argument.trimStart().startsWith("{")
  const text = isInline ? argument : yield* Effect.tryPromise({
    try: () => readFile(resolve(cwd, argument), "utf8"),
    catch: (error) =>
      new InputError({
        message: `Can't read the --json-schema file ${argument}: ${(error as NodeJS.ErrnoException).code}.`
      })
  })
  const validate = yield* Effect.tryPromise({
    try: () => compileSchema(text),
    catch: (error) =>
      new InputError({
        message: `--json-schema${isInline ? "" : ` (${argument})`} is not a valid JSON Schema: ` +
          `${error instanceof Error ? error.message : String(error)}.`
      })
  })
  return {
    instructions: StructuredResult.instructions(JSON.parse(text)),
    check: (response) =>
      Result.flatMap(StructuredResult.parse(response), (value) => validate(value) ? Result.succeed(value) : Result.fail(problems(validate)))
  } satisfies SchemaCheck
})

/** Uses the draft that the schema names, 2020-12 by default. */
const compileSchema = async (text: string): Promise<ValidateFunction> => {
  const { $schema = "", ...schema } = JSON.parse(text) as { readonly $schema?: string }
  const { Ajv, Ajv2020 } = await import("./AjvValidators.ts")
  return new (/draft-0[4-7]/.test($schema) ? Ajv : Ajv2020)({ allErrors: true, strict: false, validateFormats: false, logger: false })
    .compile(schema)
}

const problems = ({ errors }: ValidateFunction): string =>
  (errors ?? []).slice(0, 5).map(({ instancePath, message }) => `${instancePath === "" ? "the value" : instancePath} ${message}`).join("; ")
