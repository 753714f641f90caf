import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { Ids } from "../../../src/services/Ids.ts"
import * as IdsLive from "../../../src/layers/settings/IdsLive.ts"
import * as CountingIds from "../../../src/layers/testing/CountingIds.ts"

describe("session ids", () => {
  it("are UUIDs of version 7, as RFC 9562 gives one in its appendix", () => {
    const random = Uint8Array.from([0, 0, 0, 0, 0, 0, 0x0c, 0xc3, 0x18, 0xc4, 0xdc, 0x0c, 0x0c, 0x07, 0x39, 0x8f])
    expect(IdsLive.uuid(0x017f22e279b0, random)).toBe("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
  })

  it.effect("sort by time and never repeat", () =>
    Effect.gen(function*() {
      const ids = yield* Ids
      const seen: Array<string> = []
      for (let i = 0; i < 100; i++) {
        seen.push(yield* ids.session)
        yield* TestClock.adjust("1 millis")
      }
      expect(seen.toSorted()).toEqual(seen)
      expect(new Set(seen).size).toBe(100)
      expect(yield* ids.seed).not.toBe(yield* ids.seed)
    }).pipe(Effect.provide(IdsLive.layer)))

  it.effect("count in tests", () =>
    Effect.gen(function*() {
      const ids = yield* Ids
      expect([yield* ids.session, yield* ids.session, yield* ids.seed]).toEqual([
        "00000000-0000-7000-8000-000000000001",
        "00000000-0000-7000-8000-000000000002",
        "seed-1"
      ])
    }).pipe(Effect.provide(CountingIds.layer)))
})
