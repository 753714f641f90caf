/** Pictures as models take them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import sharp from "sharp"
import * as FitImage from "../../../src/layers/image/FitImage.ts"

const drawn = (width: number, height: number) =>
  Effect.promise(() => sharp({ create: { width, height, channels: 3, background: "teal" } }).png().toBuffer())

/** Nothing that an encoder could make small. */
const noise = (width: number, height: number) =>
  Effect.promise(() => sharp({ create: { width, height, channels: 3, background: "black", noise: { type: "gaussian", mean: 128, sigma: 60 } } }).png().toBuffer())

const edges = ({ bytes }: FitImage.Image) => Effect.map(Effect.promise(() => sharp(bytes).metadata()), ({ format, height, width }) => ({ format, width, height }))

describe("an image for a model", () => {
  it.effect("stays as it is where every provider takes it", () =>
    Effect.gen(function*() {
      const bytes = yield* drawn(640, 480)
      const kept = yield* FitImage.fit({ bytes, mediaType: "image/png" })
      assert.strictEqual(kept.bytes, bytes)
    }))

  it.effect("is scaled down, not distorted, where an edge is too long", () =>
    Effect.gen(function*() {
      const kept = yield* FitImage.fit({ bytes: yield* drawn(9_000, 3_000), mediaType: "image/png" })
      assert.deepStrictEqual(yield* edges(kept), { format: "png", width: 2_000, height: 667 })
      assert.strictEqual(kept.mediaType, "image/png")
    }))

  it.effect("becomes a JPEG if it has too many bytes as a PNG", () =>
    Effect.gen(function*() {
      const bytes = yield* noise(2_200, 2_200)
      assert.isAbove(bytes.length, 3_750_000)
      const kept = yield* FitImage.fit({ bytes, mediaType: "image/png" })
      assert.deepStrictEqual(yield* edges(kept), { format: "jpeg", width: 2_000, height: 2_000 })
      assert.strictEqual(kept.mediaType, "image/jpeg")
      assert.isAtMost(kept.bytes.length, 3_750_000)
    }))

  it.effect("is rejected with a sentence if it is damaged or would decompress to too much memory", () =>
    Effect.gen(function*() {
      const bytes = yield* drawn(640, 480)
      const damaged = yield* Effect.flip(FitImage.fit({ bytes: bytes.subarray(0, 16), mediaType: "image/png" }))
      assert.deepStrictEqual([damaged.reason, damaged.message], ["Damaged", "The image claims to be PNG, but can't be read."])
      const bomb = new Uint8Array(bytes)
      new DataView(bomb.buffer).setUint32(16, 60_000)
      new DataView(bomb.buffer).setUint32(20, 60_000)
      const refused = yield* Effect.flip(FitImage.fit({ bytes: bomb, mediaType: "image/png" }))
      assert.match(refused.message, /^The image \(PNG, 60000 × 60000 pixels, [\d.]+ MB\) can't be scaled down: .+\.$/)
    }))
})
