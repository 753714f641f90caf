import { assert, describe, it } from "@effect/vitest"
import { EventStreamCodec } from "@smithy/core/event-streams"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as AwsEventStream from "../../../src/domain/provider/AwsEventStream.ts"
import { event, exception } from "../../../src/layers/testing/servers/EventFrames.ts"

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const read = (parts: ReadonlyArray<Uint8Array>) => {
  let state = AwsEventStream.initial()
  const frames: Array<AwsEventStream.Frame> = []
  for (const part of parts) {
    const [next, out] = AwsEventStream.push(state, part)
    state = next
    frames.push(...out)
  }
  return { frames: frames.map(({ headers, payload }) => [{ ...headers }, text(payload)]), wrong: state.problem, cut: AwsEventStream.isIncomplete(state) }
}

const all = Buffer.concat([event("messageStart", { role: "assistant" }), event("contentBlockDelta", { delta: { text: "€ 世界 🌱" } }), exception("throttlingException", "Slow down.")])
const whole = read([all])

describe("frames of AWS", () => {
  it("are read with their headers and payloads", () => {
    assert.deepStrictEqual(whole.frames.map(([headers, payload]) => [(headers as Record<string, string>)[":event-type"] ?? (headers as Record<string, string>)[":exception-type"], payload]), [
      ["messageStart", "{\"role\":\"assistant\"}"],
      ["contentBlockDelta", "{\"delta\":{\"text\":\"€ 世界 🌱\"}}"],
      ["throttlingException", "{\"message\":\"Slow down.\"}"]
    ])
    assert.deepStrictEqual([whole.wrong, whole.cut], [undefined, false])
  })

  it("are the same wherever they are cut", () => {
    for (let at = 0; at <= all.length; at++) assert.deepStrictEqual(read([all.subarray(0, at), all.subarray(at)]), whole)
    assert.deepStrictEqual(read([...all].map((byte) => Uint8Array.of(byte))), whole)
  })

  it("are wrong with any byte changed, and then nothing more is read", () => {
    for (let at = 0; at < all.length; at++) {
      const damaged = Uint8Array.from(all)
      damaged[at]! ^= 0x40
      const { frames, wrong } = read([damaged])
      assert.isTrue(wrong !== undefined && frames.length < 3, `byte ${at}`)
    }
  })

  it("are unfinished when they end early", () => {
    for (const at of [1, 11, 40, all.length - 1]) assert.isTrue(read([all.subarray(0, at)]).cut)
  })

  const codec = new EventStreamCodec(text, (value) => new TextEncoder().encode(value))
  const wellFormed = (value: string) => value.toWellFormed()
  const values = Schema.Record(Schema.Literals(["a", ":event-type", "x".repeat(200)]), Schema.String)
  it.effect.prop("are those that AWS' own codec writes", [values, Schema.String], ([headers, payload]) =>
    Effect.sync(() => {
      const typed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, { type: "string" as const, value }]))
      const others = { flag: { type: "boolean" as const, value: true }, count: { type: "integer" as const, value: 7 }, raw: { type: "binary" as const, value: Uint8Array.of(1, 2) } }
      const frame = codec.encode({ headers: { ...others, ...typed }, body: new TextEncoder().encode(payload) })
      assert.deepStrictEqual(read([frame]), { frames: [[Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, wellFormed(value)])), wellFormed(payload)]], wrong: undefined, cut: false })
    }), { arbitrary: { runs: 200 } })
})
