import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { jsonrepair } from "jsonrepair"
import * as JsonStream from "../../../src/domain/parser/json/JsonStream.ts"
import { lengths, pieces, textOf, withoutNegativeZero } from "./pieces.ts"

const fragments = [
  ..."{}[]:,\"'\\/-.e0 \n*`a",
  "true", "false", "null", "None", "NaN", "12", "1e5", "-0.5", "\"a\"", "\"__proto__\":", "\"b\":", "key:", "//", "/*", "*/",
  "\\u00e9", "\\ud83d", "\\n", "😀", "{\"a\":", "[1,", "```json\n", "\u00a0"
]

const json = Arbitrary.map(
  Arbitrary.all([Arbitrary.schema(Schema.Json), Arbitrary.schema(Schema.Literals(["", " ", "\t"]))]),
  ([value, indent]) => ({ value: withoutNegativeZero(value), text: JSON.stringify(value, null, indent) })
)

const read = (text: string, lengths: ReadonlyArray<number>): JsonStream.State =>
  pieces(text, lengths).reduce(JsonStream.push, JsonStream.initial())

const outcome = (state: JsonStream.State, mode: "strict" | "repair"): unknown =>
  Result.match(JsonStream.end(state, mode), {
    onSuccess: ({ repairs, value }) => ({ value, repairs: repairs.map((repair) => ({ ...repair })) }),
    onFailure: ({ message, partial, path, position, reason }) => ({ message, partial, path, position, reason })
  })

const runs = (runs: number) => ({ arbitrary: { runs } })

describe("valid JSON", () => {
  it.effect.prop("is what JSON.parse makes of it, at any cut", [json, lengths], ([{ text, value }, lengths]) =>
    Effect.sync(() => {
      assert.deepStrictEqual(outcome(read(text, lengths), "strict"), { value, repairs: [] })
    }), runs(3000))

  it.effect.prop("cut short is never repaired in strict, and loses nothing that was shown", [json, lengths], ([{ text, value }, lengths]) =>
    Effect.sync(() => {
      const cut = text.slice(0, Math.floor(text.length / 2))
      const state = read(cut, lengths)
      const shown = structuredClone(JsonStream.value(state))
      assert.strictEqual(Result.isSuccess(JsonStream.end(state, "strict")), isJson(cut))
      if (shown !== undefined && typeof shown === "object") assert.isTrue(grewTo(shown, value))
    }), runs(3000))
})

describe("any text", () => {
  it.effect.prop("is JSON in strict exactly if JSON.parse takes it", [textOf(fragments)], ([text]) =>
    Effect.sync(() => {
      const end = JsonStream.parse(text, "strict")
      assert.strictEqual(Result.isSuccess(end), isJson(text))
      if (Result.isSuccess(end) && !text.includes(misread)) assert.deepStrictEqual(end.success, { value: JSON.parse(text), repairs: [] })
    }), runs(5000))

  it.effect.prop("gives the same outcome however it is cut", [textOf(fragments), lengths], ([text, lengths]) =>
    Effect.sync(() => {
      for (const mode of ["strict", "repair"] as const) {
        const whole = outcome(read(text, [Math.max(1, text.length)]), mode)
        assert.deepStrictEqual(outcome(read(text, lengths), mode), whole)
        assert.deepStrictEqual(outcome(read(text, [1]), mode), whole)
      }
    }), runs(3000))

  it.effect.prop("tells of each string what it grew by", [textOf(fragments), lengths], ([text, lengths]) =>
    Effect.sync(() => {
      const told = new Map<string, string>()
      let state = JsonStream.initial()
      for (const piece of pieces(text, lengths)) {
        state = JsonStream.push(state, piece)
        for (const { path, text } of JsonStream.grown(state)) {
          const key = JSON.stringify(path)
          told.set(key, (told.get(key) ?? "") + text)
        }
      }
      for (const [path, value] of strings(JsonStream.value(state))) {
        assert.isTrue((told.get(JSON.stringify(path)) ?? "").endsWith(value))
      }
    }), runs(3000))
})

describe("broken JSON", () => {
  const breaks: ReadonlyArray<(text: string) => string> = [
    (text) => text.slice(0, -1),
    (text) => `\`\`\`json\n${text}\n\`\`\``,
    (text) => text.replaceAll(/,(?=["{[])/g, ", // next\n"),
    (text) => text.replaceAll(/(?<=[\w"\]}])([}\]])/g, ",$1")
  ]
  const Edit = Schema.Struct({
    path: Schema.Literals(["a.ts", "b c"]),
    flags: Schema.Array(Schema.Boolean),
    count: Schema.Int,
    nested: Schema.Record(Schema.Literals(["x", "y"]), Schema.NullOr(Schema.Literals(["one", "two"])))
  })

  it.effect.prop(
    "is repaired as jsonrepair does",
    [Edit, Schema.Literals([0, 1, 2, 3])],
    ([value, how]) =>
      Effect.sync(() => {
        const text = breaks[how]!(JSON.stringify(value))
        const repaired = Result.getOrThrow(JsonStream.parse(text, "repair"))
        assert.deepStrictEqual(repaired.value, JSON.parse(jsonrepair(text)))
      }),
    runs(1000)
  )
})

/** V8 takes an escaped key behind an empty one for the key "\\\\" if it has seen that before: it is no reference there. */
const misread = "\"\":"

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** What is shown may grow: strings get longer, containers get more members, all else stays. */
const grewTo = (shown: unknown, whole: unknown): boolean => {
  if (typeof shown === "string") return typeof whole === "string" && whole.startsWith(shown)
  if (typeof shown !== "object" || shown === null) return Object.is(shown, whole)
  return Object.entries(shown).every(([key, value]) => grewTo(value, (whole as Record<string, unknown>)[key]))
}

const strings = (value: unknown, path: ReadonlyArray<string | number> = []): ReadonlyArray<readonly [typeof path, string]> => {
  if (typeof value === "string") return [[path, value]]
  if (typeof value !== "object" || value === null) return []
  return Array.isArray(value)
    ? value.flatMap((item, i) => strings(item, [...path, i]))
    : Object.entries(value).flatMap(([key, item]) => strings(item, [...path, key]))
}
