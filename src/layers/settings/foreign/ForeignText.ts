/** The text of another agent's settings as an object, or one item that says why it can't be read. */
import * as Result from "effect/Result"
import * as TomlText from "../../../domain/config/TomlText.ts"
import { isObject } from "../../../domain/tool/ParamSchema.ts"
import * as JsonText from "../JsonText.ts"
import { type ImportItem, skipped, type Source } from "./ImportItem.ts"

type Convert = (settings: Readonly<Record<string, unknown>>) => ReadonlyArray<ImportItem>

/** JSON, with comments and trailing commas. */
export const json = (convert: Convert): Source["convert"] => (text, name) => {
  const parsed = JsonText.parse(text)
  if (Result.isFailure(parsed)) return [skipped(name, `line ${parsed.failure.line}: ${parsed.failure.why}`)]
  return isObject(parsed.success) ? convert(parsed.success) : [skipped(name, "it is not an object")]
}

export const toml = (convert: Convert): Source["convert"] => (text, name) =>
  Result.match(TomlText.parse(text), { onFailure: (why) => [skipped(name, why)], onSuccess: convert })
