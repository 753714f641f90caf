/** A tool of a file, over a real shell: arguments arrive as they are, and none of them runs. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as CustomToolFile from "../../../src/domain/extension/CustomToolFile.ts"
import * as Definition from "../../../src/layers/tool/CustomTool.ts"
import { onDisk, text } from "./world.ts"

const print = Result.getOrThrow(CustomToolFile.parse("print_it.json", JSON.stringify({
  description: "Prints its arguments and its input.",
  schema: { type: "object", properties: { path: { type: "string" }, other: { type: "string" } }, required: ["path"] },
  command: "printf '[%s][%s][%s]' \"$ARG_PATH\" \"$ARG_OTHER\" \"$(cat)\""
})))

const hostile = ["; touch pwned", "$(touch pwned)", "`touch pwned`", "\"; touch pwned; \"", "'; touch pwned; '", "a\ntouch pwned", "a[$(touch pwned)]", "\\", "*", "-rf", "é\u202e"]

describe("a tool of a file", () => {
  it.live("passes each argument in a variable and all of them on standard input, whatever they contain", () =>
    onDisk({ tools: [Definition.of(print) as never] }, (bench) =>
      Effect.gen(function*() {
        for (const value of hostile) {
          const outcome = yield* bench.call("print_it", { path: value })
          assert.include(text(outcome), `[${value}][][${JSON.stringify({ path: value })}]`, value)
        }
        assert.isNull(yield* bench.read("pwned"))
      })))

  it.live("refuses arguments that its schema does not name, and those that no variable can hold", () =>
    onDisk({ tools: [Definition.of(print) as never] }, (bench) =>
      Effect.gen(function*() {
        assert.include(text(yield* bench.call("print_it", { path: "a", LD_PRELOAD: "x.so" })), "Ignored unknown parameters: LD_PRELOAD")
        assert.include(text(yield* bench.call("print_it", {})), "path: expected string, received nothing")
        assert.include(text(yield* bench.call("print_it", { path: "a\0b" })), "NUL")
      })))
})
