/** `dacapo --version`: prints the version. */
import * as Effect from "effect/Effect"
import type { Run } from "../Command.ts"
import { Host } from "../process/Host.ts"

export const run: Run = Effect.fnUntraced(function*() {
  const { environment, stdout } = yield* Host
  yield* stdout.write(`${environment.version}\n`)
  return 0
})
