/** JSON with comments: parsed to a value, and changed in one place with everything else left as it is. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { applyEdits, findNodeAtLocation, modify, parse as parseText, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser"
import type { Change, Path } from "../../services/JsonFiles.ts"

const layout = { formattingOptions: { insertSpaces: true, tabSize: 2 } }

/** Parses a text; undefined for an empty one. A failure is the line, from 1, and the error there. */
export const parse = (text: string): Result.Result<Schema.Json | undefined, { readonly line: number; readonly why: string }> => {
  if (text.trim() === "") return Result.succeed(undefined)
  const errors: Array<ParseError> = []
  const value: unknown = parseText(text, errors, { allowTrailingComma: true })
  const [first] = errors
  return first === undefined
    ? Result.succeed(value as Schema.Json)
    : Result.fail({ line: text.slice(0, first.offset).split("\n").length, why: `is not valid JSON: ${printParseErrorCode(first.error)}` })
}

/** The value at a path. */
export const at = (value: Schema.Json | undefined, path: Path): Schema.Json | undefined =>
  path.reduce<Schema.Json | undefined>(
    (inner, key) =>
      typeof inner === "object" && inner !== null && !Array.isArray(inner) && Object.hasOwn(inner, key)
        ? (inner as Schema.JsonObject)[key]
        : undefined,
    value
  )

/** The line, from 1, of each item of the list at a path. */
export const lines = (text: string, path: Path): ReadonlyArray<number> => {
  const tree = parseTree(text, [], { allowTrailingComma: true })
  const list = tree === undefined ? undefined : findNodeAtLocation(tree, [...path])
  return list?.type === "array" ? list.children!.map(({ offset }) => text.slice(0, offset).split("\n").length) : []
}

/** A valid text with one value changed; comments and lines around it stay. A new text begins with a comment, `headerComment`. */
export const applyChange = (text: string, path: Path, change: Change, headerComment?: string): string => {
  const source = text.trim() !== "" ? text : headerComment === undefined ? "{}\n" : `// ${headerComment}\n{}\n`
  const current = at(Result.getOrUndefined(parse(source)), path)
  const after = change(current)
  if (after === undefined && current === undefined) return text
  return applyEdits(source, modify(source, [...path], after, layout))
}
