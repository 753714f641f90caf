/** A tool as a model is told of it, and as the parsers know it: pure data, made from one Tool definition. */
import type * as Schema from "effect/Schema"

/** `raw` params hold text that may look like tags (file content, patches) and lose one newline at each end, nothing else. */
export interface ParamSpec {
  readonly name: string
  readonly description: string
  readonly required: boolean
  readonly raw: boolean
}

/** `schema` is JSON Schema (draft 2020-12) of the params object, closed and without `$ref`. */
export interface ToolSpec {
  readonly name: string
  readonly description: string
  readonly params: ReadonlyArray<ParamSpec>
  readonly schema: Schema.JsonObject
  /** Other names under which the tool answers; never advertised. */
  readonly aliases: ReadonlyArray<string>
}
