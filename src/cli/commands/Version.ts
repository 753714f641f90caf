/** `efferent --version`. */
import * as Effect from "effect/Effect"
import type { Run } from "../Commands.ts"
import { Host } from "../Host.ts"

export const run: Run = Effect.fnUntraced(function*() {
  const { stdout, version } = yield* Host
  yield* stdout.write(`${version}\n`)
  return 0
})
