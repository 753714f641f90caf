import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as ValueShape from "../../../src/domain/tool/ValueShape.ts"
import * as Normalize from "../../../src/domain/tool/Normalize.ts"
import { fromTape } from "./hostile.ts"

const bytes = (value: Schema.Json): number => new TextEncoder().encode(JSON.stringify(value)).length

const int = (minimum: number, maximum: number) => Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum, maximum })))
const tape = Arbitrary.schema(Schema.Array(int(0, 255)).pipe(Schema.check(Schema.isMaxLength(200))))
const options = Arbitrary.schema(Schema.Struct({ maxBytes: int(32, 4000), maxDepth: int(0, 12) }))
const runs = (runs: number) => ({ arbitrary: { runs } })

describe("any value at all", () => {
  it.effect.prop("becomes JSON of at most so many bytes", [tape, options], ([tape, options]) =>
    Effect.sync(() => {
      const made = Normalize.toSize(fromTape(tape), options)
      assert.isTrue(Schema.is(Schema.Json)(made), "JSON")
      assert.isAtMost(bytes(made), options.maxBytes)
      assert.deepStrictEqual(JSON.parse(JSON.stringify(made)), made)
    }), runs(6000))

  it.effect.prop("becomes the same each time", [tape, options], ([tape, options]) =>
    Effect.sync(() => {
      const value = fromTape(tape)
      assert.deepStrictEqual(Normalize.toSize(value, options), Normalize.toSize(value, options))
    }), runs(1000))
})

describe("any string", () => {
  const text = Arbitrary.schema(Schema.Array(int(0, 0xffff)).pipe(Schema.check(Schema.isMaxLength(60))))
  const near = [0, 9, 31, 34, 92, 127, 128, 0x7ff, 0x800, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000]

  it.effect.prop("is measured by the bytes of its JSON, and clipped to the available space", [text, Arbitrary.schema(int(2, 80))], ([units, room]) =>
    Effect.sync(() => {
      const text = String.fromCharCode(...units.map((unit) => unit % 2 === 0 ? near[unit % near.length] ?? 0 : unit))
      assert.strictEqual(ValueShape.ofString(text), bytes(text))
      assert.isAtMost(bytes(ValueShape.clip(text, room)), room)
      if (bytes(text) <= room) assert.strictEqual(ValueShape.clip(text, room), text)
    }), runs(4000))
})

/** JSON with few enough parts that none is left out. */
const json = Arbitrary.schema(Schema.Json)

/** What toSize promises of plain JSON, written in the simplest way: try each depth, from the deepest. */
const plainly = (value: Schema.Json, { maxBytes, maxDepth }: { readonly maxBytes: number; readonly maxDepth: number }): Schema.Json | undefined => {
  for (let depth = maxDepth; depth >= 0; depth--) {
    const made = atDepth(value, depth)
    if (bytes(made) <= maxBytes) return made
  }
  return undefined
}

const atDepth = (value: Schema.Json, depth: number): Schema.Json => {
  if (typeof value !== "object" || value === null) return Object.is(value, -0) ? 0 : value
  if (Array.isArray(value)) return depth < 0 ? `[Array(${value.length})]` : value.map((item) => atDepth(item, depth - 1))
  if (depth < 0) return "[Object]"
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, atDepth(item, depth - 1)]))
}

const isSmall = (value: unknown): boolean =>
  typeof value !== "object" || value === null ||
  (Object.keys(value).length <= 50 && !("toJSON" in value) && Object.values(value).every(isSmall))

describe("plain JSON", () => {
  it.effect.prop("is opened as deep as fits, and no deeper", [json, options], ([value, options]) =>
    Effect.sync(() => {
      const expected = isSmall(value) ? plainly(value, options) : undefined
      if (expected !== undefined) assert.deepStrictEqual(Normalize.toSize(value, options), expected)
    }), runs(4000))
})
