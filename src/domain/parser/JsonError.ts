/** Why JSON could not be read. */
import * as Data from "effect/Data"
import type { Json } from "effect/Schema"
import type { Path } from "./json/JsonTree.ts"

/**
 * `incomplete`: the text ended too early; `syntax`: it is broken; `depth` and `size`: it is over the limits.
 * `position` counts UTF-16 units from the start, `path` names the value being read there, `partial` is what could be
 * saved (absent if nothing could). No schema: `partial` may be large, and hold the Infinity that JSON.parse makes of 1e999.
 */
export class JsonError extends Data.TaggedError("JsonError")<{
  readonly reason: "incomplete" | "syntax" | "depth" | "size"
  readonly message: string
  readonly position: number
  readonly path: Path
  readonly partial?: Json
}> {}
