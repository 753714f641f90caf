/**
 * What a JavaScript value is, told without trusting it: getters throw, proxies lie, names are no strings. Every look at
 * a foreign value is guarded.
 */
import * as JsonBytes from "./JsonBytes.ts"

/** What JSON can hold as it is. */
export type Primitive = string | number | boolean | null

/**
 * - `Leaf`: a value of JSON, or the text that stands for what is none.
 * - `List`, `Set`, `Record`, `Map`: what has parts; `marker` stands for it where it is not opened. `source` is what the
 *   value was before its toJSON, so that cycles through toJSON are found.
 */
export type Shape =
  | { readonly _tag: "Leaf"; readonly value: Primitive }
  | Branch

export interface Branch {
  readonly _tag: "List" | "Set" | "Record" | "Map"
  readonly source: object
  readonly value: object
  readonly marker: string
}

/** Characters of a name, of a failure's reason, and of an error's stack that are kept. */
const longest = { name: 80, reason: 200, stack: 1000 }

/** `key` is where the value was found, as toJSON is told. Never throws. */
export const of = (value: unknown, key: string): Shape => {
  switch (typeof value) {
    case "string":
    case "boolean":
      return leaf(value)
    case "number":
      return leaf(Number.isFinite(value) ? value + 0 : `[${value}]`)
    case "undefined":
      return leaf("[undefined]")
    case "bigint":
      return leaf(`[BigInt: ${digits(value)}]`)
    case "symbol":
      return leaf(value.description === undefined ? "[Symbol]" : `[Symbol: ${short(value.description)}]`)
    case "function":
      return leaf(`[Function: ${nameOf(value) ?? "anonymous"}]`)
    case "object":
      return value === null ? leaf(null) : ofObject(value, key)
  }
}

const leaf = (value: Primitive): Shape => ({ _tag: "Leaf", value })

const ofObject = (source: object, key: string): Shape => {
  const marked = markOf(source)
  if (marked !== undefined) return leaf(marked)
  const boxed = unboxed(source)
  if (boxed !== undefined) return of(boxed, key)
  const made = jsonOf(source, key)
  if (made.failed) return leaf(`[toJSON failed: ${made.why}]`)
  const { value } = made
  if (value === source) return branch(source, source)
  if (typeof value !== "object" || value === null) return of(value, key)
  const inner = markOf(value)
  return inner === undefined ? branch(source, value) : leaf(inner)
}

const branch = (source: object, value: object): Branch => {
  if (isList(value)) return { _tag: "List", source, value, marker: `[Array(${lengthOf(value)})]` }
  const is = (kind: "Map" | "Set") => !isPlain(value) && guarded(() => brands[kind](value), false)
  return { _tag: is("Map") ? "Map" : is("Set") ? "Set" : "Record", source, value, marker: `[${classOf(value)}]` }
}

const isList = (value: object): boolean => guarded(() => Array.isArray(value), false)

/** Of no class: most objects are, and need no look at what only classes can be. */
const isPlain = (value: object): boolean =>
  guarded(() => {
    const prototype: unknown = Object.getPrototypeOf(value)
    return prototype === Object.prototype || prototype === null
  }, false)

/** What is told by a line: dates, patterns, bytes, what can't be looked into, and values of user interfaces. */
const markOf = (value: object): string | undefined =>
  isList(value) ? undefined : guarded(() => (isPlain(value) ? undefined : exotic(value)) ?? ui(value), undefined)

const exotic = (value: object): string | undefined => {
  if (isDate(value)) return dateText(value)
  if (isRegExp(value)) return short(RegExp.prototype.toString.call(value), longest.reason)
  if (ArrayBuffer.isView(value)) return bytesOf(value)
  if (isArrayBuffer(value)) return `[ArrayBuffer(${value.byteLength})]`
  return opaque.some((kind) => value instanceof kind) ? `[${classOf(value)}]` : undefined
}

const opaque = [Promise, WeakMap, WeakSet, WeakRef]

const bytesOf = (view: ArrayBufferView): string => {
  if (view instanceof DataView) return `[DataView(${view.byteLength})]`
  const list = view as Uint8Array
  return `[${list[Symbol.toStringTag]}(${list.length})]`
}

const dateText = (date: Date): string => {
  const time = Date.prototype.getTime.call(date)
  return Number.isNaN(time) ? "[Invalid Date]" : Date.prototype.toISOString.call(date)
}

/** Values of React, Vue and the DOM by their shape: none of them is a dependency, and all are full of cycles. */
const ui = (value: object): string | undefined => {
  const it = value as Readonly<Record<string, unknown>>
  if (typeof it.$$typeof === "symbol") return `[React.${componentOf(it.type) ?? "Element"}]`
  if (it.isReactComponent !== undefined && "setState" in it) return `[React.${classOf(value)}]`
  if ("nativeEvent" in it && "preventDefault" in it && "stopPropagation" in it) return "[React.SyntheticEvent]"
  if ("memoizedProps" in it && "stateNode" in it) return `[React.${componentOf(it.type) ?? "Fiber"}]`
  if (it.__v_isVNode === true || ("subTree" in it && "appContext" in it)) return `[Vue.${componentOf(it.type) ?? "VNode"}]`
  if (it._isVue === true || it.__isVue === true || ("$el" in it && "$options" in it)) {
    return `[Vue.${componentOf(it.$options) ?? "Component"}]`
  }
  if (typeof it.nodeType !== "number") return undefined
  const tag = typeof it.tagName === "string" ? it.tagName : it.nodeName
  if (typeof tag !== "string") return undefined
  return `[${short(tag)}${typeof it.id === "string" && it.id !== "" ? `#${short(it.id)}` : ""}]`
}

/** A tag, or the name of a component: a function, or an object that carries it or wraps one (memo, forwardRef). */
const componentOf = (type: unknown, wrappers = 3): string | undefined => {
  if (typeof type === "string") return short(type)
  if (typeof type === "symbol") return short(type.description ?? "").replace(/^react\./, "")
  if ((typeof type !== "object" || type === null) && typeof type !== "function") return undefined
  const it = type as Readonly<Record<string, unknown>>
  const name = [it.displayName, it.name, it.__name, it._componentTag].find((one) => typeof one === "string" && one !== "")
  if (typeof name === "string") return short(name)
  return wrappers === 0 ? undefined : componentOf(it.render ?? it.type, wrappers - 1)
}

/** The name of an object's class; `Object` where it has none. */
const classOf = (value: object): string =>
  guarded(() => {
    const prototype: unknown = Object.getPrototypeOf(value)
    const made = prototype === null ? undefined : (prototype as { readonly constructor?: unknown }).constructor
    return typeof made === "function" ? nameOf(made) : undefined
  }, undefined) ?? "Object"

const nameOf = (made: Function): string | undefined => {
  const name = guarded<unknown>(() => made.name, undefined)
  return typeof name === "string" && name !== "" ? short(name) : undefined
}

/** What toJSON makes of a value; the value itself where it has none. */
const jsonOf = (value: object, key: string): { readonly failed: false; readonly value: unknown } | { readonly failed: true; readonly why: string } => {
  try {
    const { toJSON } = value as { readonly toJSON?: unknown }
    return { failed: false, value: typeof toJSON === "function" ? toJSON.call(value, key) : value }
  } catch (cause) {
    // A revoked proxy fails at every look: that is its own fault, not that of a toJSON.
    return guarded(() => "toJSON" in value, false) ? { failed: true, why: reason(cause) } : { failed: false, value }
  }
}

/** What a `new String("x")` holds, as JSON.stringify sees it. */
const unboxed = (value: object): Primitive | undefined =>
  isPlain(value) ? undefined : guarded(() =>
    value instanceof String ? String.prototype.valueOf.call(value)
    : value instanceof Number ? Number.prototype.valueOf.call(value)
    : value instanceof Boolean ? Boolean.prototype.valueOf.call(value)
    : undefined, undefined)

/** The entries of a record by name, at most `limit`, and how many there are in all. */
export const entriesOf = (value: object, limit: number): { readonly entries: ReadonlyArray<readonly [string, unknown]>; readonly count: number } => {
  const fixed = guarded(() => value instanceof Error, false) ? errorEntries(value as Error) : []
  const known = new Set(fixed.map(([name]) => name))
  const keys = guarded(() => Object.keys(value), []).filter((name) => !known.has(name))
  const entries = keys.slice(0, Math.max(0, limit - fixed.length)).map((name) => [name, get(value, name)] as const)
  return { entries: [...fixed, ...entries], count: fixed.length + keys.length }
}

const errorEntries = (error: Error): ReadonlyArray<readonly [string, unknown]> => {
  const stack = get(error, "stack")
  const inner = (["cause", "errors"] as const).map((name) => [name, get(error, name)] as const)
  return [
    ["name", get(error, "name")],
    ["message", get(error, "message")],
    ...(typeof stack === "string" ? [["stack", short(stack, longest.stack)] as const] : []),
    ...inner.filter(([, value]) => value !== undefined)
  ]
}

/** A property; what its getter throws is told in its place. */
export const get = (value: object, name: string | number): unknown => {
  try {
    return (value as Readonly<Record<string | number, unknown>>)[name]
  } catch (cause) {
    return `[getter failed: ${reason(cause)}]`
  }
}

/** The length that a list has, or says to have. */
export const lengthOf = (list: object): number => {
  const length = guarded<unknown>(() => (list as ReadonlyArray<unknown>).length, 0)
  return typeof length === "number" && length > 0 && length < 2 ** 32 ? Math.floor(length) : 0
}

/** The first parts of a Map or Set and how many there are, whatever its class makes of iteration. */
export const partsOf = <A>(kind: "Map" | "Set", value: object, limit: number): { readonly parts: ReadonlyArray<A>; readonly count: number } =>
  guarded(() => {
    const parts: Array<A> = []
    const all = kind === "Map" ? Map.prototype.entries.call(value as Map<unknown, unknown>) : Set.prototype.values.call(value as Set<unknown>)
    for (const part of all) {
      if (parts.length === limit) break
      parts.push(part as A)
    }
    return { parts, count: sizes[kind](value) }
  }, { parts: [], count: 0 })

const sizeOf = (prototype: object): (value: object) => number => {
  const getter = Object.getOwnPropertyDescriptor(prototype, "size")?.get
  return (value) => Number(getter?.call(value))
}

const sizes = { Map: sizeOf(Map.prototype), Set: sizeOf(Set.prototype) }

/** Only a true Map or Set answers its own size: a proxy or a copy of its prototype throws. */
const brands = {
  Map: (value: object): boolean => value instanceof Map && sizes.Map(value) >= 0,
  Set: (value: object): boolean => value instanceof Set && sizes.Set(value) >= 0
}

const isDate = (value: object): value is Date => value instanceof Date && succeeds(() => Date.prototype.getTime.call(value))

const isRegExp = (value: object): value is RegExp => value instanceof RegExp

const isArrayBuffer = (value: object): value is ArrayBuffer =>
  value instanceof ArrayBuffer || (typeof SharedArrayBuffer === "function" && value instanceof SharedArrayBuffer)

const long = 10n ** 1000n

/** Written in full up to 1,000 digits: what is longer would take quadratic time. */
const digits = (value: bigint): string => {
  const size = value < 0n ? -value : value
  if (size < long) return `${value}n`
  return `${value < 0n ? "-" : ""}about 2^${(size.toString(16).length - 1) * 4}`
}

const reason = (cause: unknown): string =>
  guarded(() => {
    const message = typeof cause === "object" && cause !== null && "message" in cause ? cause.message : cause
    return short(String(message), longest.reason)
  }, "unknown")

const short = (text: string, limit: number = longest.name): string =>
  text.length <= limit ? text : JsonBytes.clip(text, limit)

const guarded = <A>(look: () => A, otherwise: A): A => {
  try {
    return look()
  } catch {
    return otherwise
  }
}

const succeeds = (look: () => unknown): boolean => guarded(() => (look(), true), false)
