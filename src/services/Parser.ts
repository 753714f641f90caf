/** From chunks to parts, by the model's dialect. */
import * as Context from "effect/Context"
import type * as Stream from "effect/Stream"
import type { Chunk } from "../domain/message/Chunk.ts"
import type { Part, Remarks } from "../domain/message/Part.ts"
import type { ToolFormat } from "../domain/provider/Model.ts"
import type { ToolSpec } from "../domain/tool/ToolSpec.ts"

/** `canRepair`: slips in XML whose meaning is certain are repaired, with a warning; sessions of older versions did not. */
export interface ParserOptions {
  readonly canRepair?: boolean
}

export class Parser extends Context.Service<Parser, {
  /**
   * Text and reasoning parts are deltas; a call comes as its state so far under one id until it is complete; remarks
   * come last, if any.
   */
  readonly parse: (
    format: ToolFormat,
    tools: ReadonlyArray<ToolSpec>,
    options?: ParserOptions
  ) => <E, R>(chunks: Stream.Stream<Chunk, E, R>) => Stream.Stream<Part | Remarks, E, R>
}>()("dacapo/Parser") {}
