/**
 * Lifts the parsers into Streams, chosen by the model's dialect. Whatever a server sends at once is parsed at once: a
 * stream of single values costs ten times as much as parsing them.
 */
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { Parser } from "../../services/Parser.ts"
import { dialects } from "./Dialects.ts"

export const layer = Layer.succeed(
  Parser,
  Parser.of({
    parse: (format, tools, { canRepair = false } = {}) => {
      const { end, initial, push } = dialects[format]
      return Stream.mapAccumArray(() => initial({ tools, canRepair }), (previous, chunks) => {
        let state = previous
        const parts = chunks.flatMap((chunk) => {
          const [next, parts] = push(state, chunk)
          state = next
          return parts
        })
        return [state, parts] as const
      }, { onHalt: (state) => [...end(state)] })
    }
  })
)
