/** Hostile values from a tape of numbers: the same tape gives the same value, and a shorter one a smaller value. */

export type Tape = ReadonlyArray<number>

interface Reader {
  readonly next: () => number
  readonly spent: () => boolean
  /** Values made so far, for cycles and shared parts. */
  readonly made: Array<object>
}

type Make = (tape: Reader, depth: number) => unknown

const strings = ["", "a", "ab c", "\ud800", "\udc00x", "😀", "\u0000\n\"\\", "é", "\u2028", "x".repeat(40), "€".repeat(70), "…", "k"]

const leaves: ReadonlyArray<Make> = [
  () => undefined, () => null, () => NaN, () => -0, () => Infinity, () => 1e300, () => 12n, () => -(10n ** 1200n),
  () => true, () => Symbol("s"), () => Symbol(), () => Symbol.iterator, () => () => 1, () => class Named {},
  () => new Date(0), () => new Date(NaN), () => /x\/"/gi, () => new Uint8Array(9), () => new BigInt64Array(2), () => new ArrayBuffer(4),
  () => new DataView(new ArrayBuffer(3)), () => Promise.resolve(1), () => new WeakMap(), () => new WeakRef({}),
  () => new String("boxed\ud800"), () => new Number(NaN), () => Object(1n), () => Object(Symbol("boxed")), () => Object.create(null),
  (tape) => strings[tape.next() % strings.length],
  (tape) => (strings[tape.next() % strings.length] ?? "").repeat(tape.next()),
  (tape) => tape.next() * 1.37,
  () => ({ $$typeof: Symbol.for("react.element"), type: "div", props: {} }),
  () => ({ $$typeof: Symbol.for("react.element"), type: { get name(): string { throw new Error("no") } } }),
  () => ({ __v_isVNode: true, type: { name: "App\"\n" } }),
  () => ({ _isVue: true, $options: { name: "x".repeat(500) } }),
  () => ({ nodeType: 1, tagName: "DIV", id: "main", get parentNode(): never { throw new Error("no") } }),
  () => revoked({}), () => revoked([]), () => throwing({}), () => throwing([1, 2]), () => echo(), () => liar(),
  () => Object.assign([], { length: 4_000_000_000 }), () => Array.from({ length: 130 }, (_, i) => i),
  () => Object.fromEntries(Array.from({ length: 70 }, (_, i) => [`key ${i}`, i])),
  () => ({ "…": 1, ...Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`k${i}`, "v"])) }),
  () => ({ toJSON: () => { throw new Error("toJSON\n".repeat(90)) } }),
  () => ({ get toJSON() { throw "no" } }),
  () => ({ toJSON() { return this } }),
  () => ({ toJSON: () => Symbol("made") }),
  () => Object.create(Date.prototype), () => Object.create(RegExp.prototype), () => Object.create(Map.prototype), () => Object.create(Uint8Array.prototype),
  () => new (class extends Map<unknown, unknown> { override get size(): number { throw new Error("no") } })([[1, 2]]),
  () => Object.defineProperty(() => 1, "name", { value: 5 }),
  () => new (class { static get name() { throw new Error("no") } })(),
  () => { let deep: unknown = 1; for (let i = 0; i < 3000; i++) deep = { deep }; return deep },
  () => { let deep: unknown = 1; for (let i = 0; i < 3000; i++) deep = [deep]; return deep }
]

const revoked = (target: object) => {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}

const no = () => { throw new Error("trap") }
const throwing = (target: object) => new Proxy(target, { get: no, has: no, ownKeys: no, getPrototypeOf: no, getOwnPropertyDescriptor: no })
/** Every property of it is itself. */
const echo = (): object => { const it: object = new Proxy({ a: 1, b: 2 }, { get: () => it }); return it }
/** Says that it has what it has not. */
const liar = () => new Proxy({}, { has: () => true, ownKeys: () => ["a", "b"], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 1 }) })

class Point { [name: string]: unknown; x = 1 }
class Failed extends TypeError { [name: string]: unknown; code = 1 }

const branches: ReadonlyArray<Make> = [
  (tape, depth) => fill(tape, new Array<unknown>(), (list) => list.push(value(tape, depth))),
  (tape, depth) => fill(tape, {} as Record<string, unknown>, (record, i) => {
    record[`${strings[tape.next() % strings.length]}${i}`] = value(tape, depth)
  }),
  (tape, depth) => fill(tape, new Map(), (map) => map.set(value(tape, depth), value(tape, depth))),
  (tape, depth) => fill(tape, new Set(), (set) => set.add(value(tape, depth))),
  (tape, depth) => fill(tape, new Point(), (point, i) => { point[`p${i}`] = value(tape, depth) }),
  (tape, depth) => fill(tape, new Failed("wrong \ud800"), (error) => {
    error["cause"] = value(tape, depth)
  }),
  (tape, depth) => fill(tape, {} as Record<string, unknown>, (record) => {
    Object.defineProperty(record, "__proto__", { enumerable: true, configurable: true, value: value(tape, depth) })
  }),
  (tape, depth) => fill(tape, {} as Record<string, unknown>, (record, i) => {
    const thrown = value(tape, depth)
    Object.defineProperty(record, `g${i}`, { enumerable: true, configurable: true, get: () => { throw thrown } })
  }),
  (tape, depth) => {
    const inner = value(tape, depth)
    return { toJSON: () => inner }
  },
  (tape, depth) => {
    const self: { toJSON: () => unknown } = { toJSON: () => ({ self, inner }) }
    const inner = value(tape, depth)
    return self
  },
  (tape) => tape.made.at(tape.next() % Math.max(1, tape.made.length))
]

const fill = <A extends object>(tape: Reader, whole: A, add: (whole: A, i: number) => unknown): A => {
  tape.made.push(whole)
  const count = tape.next() % 7
  for (let i = 0; i < count && !tape.spent(); i++) add(whole, i)
  return whole
}

const value: Make = (tape, depth) => {
  const pick = tape.next()
  const makers = depth > 12 || tape.spent() || pick % 5 === 0 ? leaves : branches
  return makers[tape.next() % makers.length]?.(tape, depth + 1)
}

export const fromTape = (tape: Tape): unknown => {
  let at = 0
  const reader: Reader = { next: () => tape[at++] ?? 0, spent: () => at >= tape.length, made: [] }
  return value(reader, 0)
}
