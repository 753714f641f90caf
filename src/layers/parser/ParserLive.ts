/** Lifts the parsers into Streams, chosen by the model's dialect. */
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { Parser } from "../../services/Parser.ts"
import { dialects } from "./Dialects.ts"

export const layer = Layer.succeed(Parser, Parser.of({
  parse: (format, tools) => {
    const { end, initial, push } = dialects[format]
    return Stream.mapAccum(() => initial(tools), push, { onHalt: (state) => [...end(state)] })
  }
}))
