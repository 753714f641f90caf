/** The day, looked at before each request: sessions are taken up again after nights. */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { define } from "../../../services/Source.ts"

export const day = define({
  name: "day",
  fixed: false,
  gather: Effect.fn("day")(function*() {
    return { today: DateTime.formatIsoDateUtc(DateTime.makeUnsafe(yield* Clock.currentTimeMillis)) }
  })
})
