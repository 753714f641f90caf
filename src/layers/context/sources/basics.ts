/** Platform, shell and the day that the session began. */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { Environment } from "../../../services/Environment.ts"
import { define } from "../../../services/Source.ts"

export const environment = define({
  name: "environment",
  fixed: true,
  gather: Effect.fn("environment")(function*() {
    const { platform } = yield* Environment
    const now = yield* Clock.currentTimeMillis
    return { platform, shell: "bash", date: DateTime.formatIsoDateUtc(DateTime.makeUnsafe(now)) }
  })
})
