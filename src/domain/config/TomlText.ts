/** TOML text of unknown origin as data: commands of Gemini, settings of Codex. */
import * as Result from "effect/Result"
import * as Toml from "effect/encoding/Toml"

/** A failure says what is wrong, with line and column. */
export const parse = (text: string): Result.Result<Readonly<Record<string, unknown>>, string> => {
  const parsed = Result.try(() => Toml.parse(text))
  if (Result.isFailure(parsed)) return Result.fail("it is not valid TOML: it is nested too deeply")
  return Result.mapError(parsed.success, ({ message }) => `it is not valid TOML: ${message}`)
}
