import { assert, describe, it } from "@effect/vitest"
import * as Normalize from "../../../src/domain/tool/Normalize.ts"

const whole = (value: unknown) => Normalize.toSize(value, { maxBytes: 100_000, maxDepth: 3 })

class Point { x = 1; y = 2 }

/** What a value becomes where there is room. */
const table: ReadonlyArray<readonly [name: string, value: unknown, expected: unknown]> = [
  ["null", null, null],
  ["a number", 1.5, 1.5],
  ["minus zero", -0, 0],
  ["text", "a\ud800b", "a\ud800b"],
  ["undefined", undefined, "[undefined]"],
  ["undefined inside", { a: undefined, b: [undefined] }, { a: "[undefined]", b: ["[undefined]"] }],
  ["NaN", NaN, "[NaN]"],
  ["infinities", [Infinity, -Infinity], ["[Infinity]", "[-Infinity]"]],
  ["a bigint", 1n, "[BigInt: 1n]"],
  ["an enormous bigint", -(2n ** 9999n), "[BigInt: -about 2^9996]"],
  ["a function", function named() {}, "[Function: named]"],
  ["a class", Point, "[Function: Point]"],
  ["a function without a name", (() => () => 1)(), "[Function: anonymous]"],
  ["a symbol", Symbol("id"), "[Symbol: id]"],
  ["a date", new Date(0), "1970-01-01T00:00:00.000Z"],
  ["an invalid date", new Date(NaN), "[Invalid Date]"],
  ["a pattern", /a+/g, "/a+/g"],
  ["a map", new Map<unknown, unknown>([["a", 1], [{ b: 2 }, new Set([3])]]), { "[Map]": [["a", 1], [{ b: 2 }, { "[Set]": [3] }]] }],
  ["a set", new Set(["a"]), { "[Set]": ["a"] }],
  ["bytes", [new Uint8Array(3), Buffer.from("ab"), new Float64Array(2)], ["[Uint8Array(3)]", "[Uint8Array(2)]", "[Float64Array(2)]"]],
  ["a buffer", new ArrayBuffer(8), "[ArrayBuffer(8)]"],
  ["an instance", new Point(), { x: 1, y: 2 }],
  ["what can't be looked into", [Promise.resolve(), new WeakSet()], ["[Promise]", "[WeakSet]"]],
  ["toJSON", { toJSON: () => ({ made: true }) }, { made: true }],
  ["a toJSON that throws", { toJSON: () => { throw new Error("no") } }, "[toJSON failed: no]"],
  ["a getter that throws", { get a() { throw new Error("no") }, b: 1 }, { a: "[getter failed: no]", b: 1 }],
  ["boxed values", [new String("a"), new Number(1), new Boolean(false)], ["a", 1, false]],
  ["a React element", { $$typeof: Symbol.for("react.element"), type: function App() {} }, "[React.App]"],
  ["a React tag", { $$typeof: Symbol.for("react.transitional.element"), type: "div" }, "[React.div]"],
  ["a wrapped React component", { $$typeof: Symbol.for("react.element"), type: { render: { type: function Inner() {} } } }, "[React.Inner]"],
  ["a React fiber", { tag: 0, type: function Row() {}, stateNode: null, memoizedProps: {} }, "[React.Row]"],
  ["a React class component", new (class Clock { get isReactComponent() { return {} } setState() {} })(), "[React.Clock]"],
  ["a React event", { nativeEvent: {}, preventDefault() {}, stopPropagation() {} }, "[React.SyntheticEvent]"],
  ["a Vue component", { $el: {}, $options: { name: "Menu" } }, "[Vue.Menu]"],
  ["a Vue component of version 2", { _isVue: true, $options: {} }, "[Vue.Component]"],
  ["a Vue instance", { type: { __name: "List" }, subTree: {}, appContext: {} }, "[Vue.List]"],
  ["a Vue node", { __v_isVNode: true, type: { name: "Page" } }, "[Vue.Page]"],
  ["a DOM element", { nodeType: 1, tagName: "DIV", id: "main" }, "[DIV#main]"],
  ["a DOM element without id", { nodeType: 1, tagName: "P", id: "" }, "[P]"],
  ["what lies deeper than four levels", { a: { b: { c: { d: {}, e: [1, 2], f: new Point() } } } }, { a: { b: { c: { d: "[Object]", e: "[Array(2)]", f: "[Point]" } } } }]
]

describe("what a value becomes", () => {
  for (const [name, value, expected] of table) {
    it(name, () => assert.deepStrictEqual(whole(value), expected))
  }

  it("an error keeps its name, message and stack, its cause and its own properties", () => {
    const made = whole(Object.assign(new TypeError("wrong", { cause: "why" }), { code: 7 })) as Record<string, unknown>
    assert.deepStrictEqual({ ...made, stack: typeof made["stack"] }, { name: "TypeError", message: "wrong", stack: "string", cause: "why", code: 7 })
  })

  it("a value inside itself is circular, one that stands twice is not", () => {
    const shared = { a: 1 }
    const value: Record<string, unknown> = { first: shared, second: shared }
    value["self"] = value
    assert.deepStrictEqual(whole(value), { first: { a: 1 }, second: { a: 1 }, self: "[Circular]" })
  })

  it("a property called __proto__ stays a property", () => {
    const made = whole(JSON.parse(`{"__proto__":{"a":1}}`))
    assert.strictEqual(JSON.stringify(made), `{"__proto__":{"a":1}}`)
  })

  it("of a list 100 items are kept and of a record 50 keys", () => {
    const list = whole(Array.from({ length: 250 }, (_, i) => i)) as ReadonlyArray<unknown>
    assert.deepStrictEqual([list.length, list.at(-2), list.at(-1)], [101, 99, "… 150 more"])
    const record = whole(Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`k${i}`, i]))) as Record<string, unknown>
    assert.deepStrictEqual(Object.entries(record).slice(-2), [["k49", 49], ["…", "… 10 more"]])
  })
})

describe("within the size", () => {
  const nested = { title: "a report", rows: [{ id: 1, tags: ["one of many", "another"] }, { id: 2, tags: ["the third of them"] }] }

  it("the value is opened as deep as fits", () => {
    const at = (maxBytes: number) => Normalize.toSize(nested, { maxBytes })
    assert.deepStrictEqual(at(1000), nested)
    assert.deepStrictEqual(at(JSON.stringify(nested).length - 1), { title: "a report", rows: [{ id: 1, tags: "[Array(2)]" }, { id: 2, tags: "[Array(1)]" }] })
    assert.deepStrictEqual(at(60), { title: "a report", rows: ["[Object]", "[Object]"] })
    assert.deepStrictEqual(at(45), { title: "a report", rows: "[Array(2)]" })
    assert.deepStrictEqual(at(32), "[Object]")
  })

  it("long strings share the room that short ones leave", () => {
    const made = Normalize.toSize({ id: 7, a: "x".repeat(500), b: "y".repeat(500), c: "short" }, { maxBytes: 150 })
    assert.deepStrictEqual(made, {
      id: 7,
      a: `${"x".repeat(46)}… 454 more`,
      b: `${"y".repeat(46)}… 454 more`,
      c: "short"
    })
  })

  it("entries go where their strings would say nothing", () => {
    const made = Normalize.toSize(Array.from({ length: 40 }, (_, i) => `${i} ${"z".repeat(200)}`), { maxBytes: 120 })
    assert.deepStrictEqual(made, ["0 zzzzzzzzz… 191 more", "1 zzzzzzzzz… 191 more", "2 zzzzzzzzz… 191 more", "3 zzzzzzzzz… 191 more", "… 36 more"])
  })

  it("the whole of a program's globals fits", () => {
    for (const maxBytes of [32, 500, 5000, 50_000]) {
      assert.isAtMost(Buffer.byteLength(JSON.stringify(Normalize.toSize(globalThis, { maxBytes, maxDepth: 10 }))), maxBytes)
    }
  })

  it("nothing is read that can't be kept", () => {
    let reads = 0
    const wide = (depth: number): object =>
      Object.defineProperties({}, Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, {
        enumerable: true,
        get: () => {
          reads++
          return depth === 0 ? i : wide(depth - 1)
        }
      }])))
    Normalize.toSize(wide(9), { maxBytes: 2000, maxDepth: 10 })
    assert.isBelow(reads, 1100)
  })
})
