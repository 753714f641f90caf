/**
 * Classifies a JavaScript value without trusting it: getters throw, proxies lie, names may not be strings. Every access
 * to a foreign value is guarded.
 */
// How many bytes of UTF-8 a value takes as JSON text, without writing it (ECMA-404, and JSON.stringify's escapes).

/** Bytes of a string, quotes included. Stops early and returns more than `limitBytes` once that is certain. O(min(text, enough)). */
export const ofString = (text: string, limitBytes = Infinity): number => {
  // Each UTF-16 unit takes at least one byte: two that form a pair take four.
  if (text.length + 2 > limitBytes) return text.length + 2
  let bytes = 2
  for (let i = 0; i < text.length && bytes <= limitBytes; i++) {
    const unit = text.charCodeAt(i)
    const isPair = isHigh(unit) && isLow(text.charCodeAt(i + 1))
    bytes += isPair ? 4 : ofUnit(unit)
    if (isPair) i++
  }
  return bytes
}

/** Bytes of a value that is neither a string nor has parts. */
export const ofPrimitive = (value: string | number | boolean | null, limitBytes?: number): number =>
  typeof value === "string" ? ofString(value, limitBytes) : String(value).length

/**
 * As much of a string as fits into `maxBytes` of JSON, quotes included, with a count of what is missing: `abc… 7
 * more`; without the count if there is no space for it. Never half a surrogate pair. O(room).
 */
export const clip = (text: string, maxBytes: number): string => {
  if (ofString(text, maxBytes) <= maxBytes) return text
  // The count is longest when none of the text remains.
  const noteBytes = ofString(moreNote(text.length)) - 2
  if (maxBytes - 2 < noteBytes) return text.slice(0, prefix(text, maxBytes - 2))
  const end = prefix(text, maxBytes - 2 - noteBytes)
  return text.slice(0, end) + moreNote(text.length - end)
}

/** The placeholder for omitted parts. */
export const moreNote = (count: number): string => `… ${count} more`

/** How many units of a text take at most `maxBytes`. */
const prefix = (text: string, maxBytes: number): number => {
  let bytes = 0
  let end = 0
  while (end < text.length) {
    const unit = text.charCodeAt(end)
    const isPair = isHigh(unit) && isLow(text.charCodeAt(end + 1))
    bytes += isPair ? 4 : ofUnit(unit)
    if (bytes > maxBytes) return end
    end += isPair ? 2 : 1
  }
  return end
}

/** `\b \t \n \f \r \" \\` take two bytes; other control characters and lone surrogates six, as `\u001f`. */
const ofUnit = (unit: number): number =>
  unit === 0x22 || unit === 0x5c ? 2
    : unit < 0x20 ? (unit === 8 || unit === 9 || unit === 10 || unit === 12 || unit === 13 ? 2 : 6)
    : unit < 0x80 ? 1
    : unit < 0x800 ? 2
    : unit >= 0xd800 && unit <= 0xdfff ? 6
    : 3

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

/** A value that JSON can hold as it is. */
export type Primitive = string | number | boolean | null

/**
 * - `Leaf`: a JSON value, or the text that represents something else.
 * - `List`, `Set`, `Record`, `Map`: values with parts; `marker` represents an unopened one. `source` is the value
 *   before its toJSON, so that cycles through toJSON are detected.
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

/** How many characters to retain of a name, of a failure's reason, and of an error's stack. */
const maxLengths = { name: 80, reason: 200, stack: 1000 }

/** `key` is the value's key, which toJSON receives. Never throws. */
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
      return leaf(value.description === undefined ? "[Symbol]" : `[Symbol: ${shorten(value.description)}]`)
    case "function":
      return leaf(`[Function: ${nameOf(value) ?? "anonymous"}]`)
    case "object":
      return value === null ? leaf(null) : ofObject(value, key)
  }
}

const leaf = (value: Primitive): Shape => ({ _tag: "Leaf", value })

const ofObject = (source: object, key: string): Shape => {
  const mark = markOf(source)
  if (mark !== undefined) return leaf(mark)
  const boxed = unboxed(source)
  if (boxed !== undefined) return of(boxed, key)
  const json = jsonOf(source, key)
  if (json.failed) return leaf(`[toJSON failed: ${json.reason}]`)
  const { value } = json
  if (value === source) return branch(source, source)
  if (typeof value !== "object" || value === null) return of(value, key)
  const inner = markOf(value)
  return inner === undefined ? branch(source, value) : leaf(inner)
}

const branch = (source: object, value: object): Branch => {
  if (isList(value)) return { _tag: "List", source, value, marker: `[Array(${lengthOf(value)})]` }
  const is = (kind: "Map" | "Set") => !isPlain(value) && tryOr(() => brands[kind](value), false)
  return { _tag: is("Map") ? "Map" : is("Set") ? "Set" : "Record", source, value, marker: `[${classOf(value)}]` }
}

const isList = (value: object): boolean => tryOr(() => Array.isArray(value), false)

/** Not an instance of a class: most objects are plain and need no checks that apply only to classes. */
const isPlain = (value: object): boolean =>
  tryOr(() => {
    const prototype: unknown = Object.getPrototypeOf(value)
    return prototype === Object.prototype || prototype === null
  }, false)

/** Values shown as a single line: dates, patterns, bytes, opaque values, and values of user interfaces. */
const markOf = (value: object): string | undefined =>
  isList(value) ? undefined : tryOr(() => (isPlain(value) ? undefined : exotic(value)) ?? ui(value), undefined)

const exotic = (value: object): string | undefined => {
  if (isDate(value)) return dateText(value)
  if (isRegExp(value)) return shorten(RegExp.prototype.toString.call(value), maxLengths.reason)
  if (ArrayBuffer.isView(value)) return bytesOf(value)
  if (isArrayBuffer(value)) return `[ArrayBuffer(${value.byteLength})]`
  return opaqueClasses.some((kind) => value instanceof kind) ? `[${classOf(value)}]` : undefined
}

const opaqueClasses = [Promise, WeakMap, WeakSet, WeakRef]

const bytesOf = (view: ArrayBufferView): string => {
  if (view instanceof DataView) return `[DataView(${view.byteLength})]`
  const list = view as Uint8Array
  return `[${list[Symbol.toStringTag]}(${list.length})]`
}

const dateText = (date: Date): string => {
  const time = Date.prototype.getTime.call(date)
  return Number.isNaN(time) ? "[Invalid Date]" : Date.prototype.toISOString.call(date)
}

/** Values of React, Vue and the DOM, recognized by their shape: none of them is a dependency, and all are full of cycles. */
const ui = (value: object): string | undefined => {
  const record = value as Readonly<Record<string, unknown>>
  if (typeof record.$$typeof === "symbol") return `[React.${componentOf(record.type) ?? "Element"}]`
  if (record.isReactComponent !== undefined && "setState" in record) return `[React.${classOf(value)}]`
  if ("nativeEvent" in record && "preventDefault" in record && "stopPropagation" in record) return "[React.SyntheticEvent]"
  if ("memoizedProps" in record && "stateNode" in record) return `[React.${componentOf(record.type) ?? "Fiber"}]`
  if (record.__v_isVNode === true || ("subTree" in record && "appContext" in record)) return `[Vue.${componentOf(record.type) ?? "VNode"}]`
  if (record._isVue === true || record.__isVue === true || ("$el" in record && "$options" in record)) {
    return `[Vue.${componentOf(record.$options) ?? "Component"}]`
  }
  if (typeof record.nodeType !== "number") return undefined
  const tag = typeof record.tagName === "string" ? record.tagName : record.nodeName
  if (typeof tag !== "string") return undefined
  return `[${shorten(tag)}${typeof record.id === "string" && record.id !== "" ? `#${shorten(record.id)}` : ""}]`
}

/** A tag, or the name of a component: a function, or an object that carries it or wraps one (memo, forwardRef). */
const componentOf = (type: unknown, wrappers = 3): string | undefined => {
  if (typeof type === "string") return shorten(type)
  if (typeof type === "symbol") return shorten(type.description ?? "").replace(/^react\./, "")
  if ((typeof type !== "object" || type === null) && typeof type !== "function") return undefined
  const record = type as Readonly<Record<string, unknown>>
  const name = [record.displayName, record.name, record.__name, record._componentTag].find((one) => typeof one === "string" && one !== "")
  if (typeof name === "string") return shorten(name)
  return wrappers === 0 ? undefined : componentOf(record.render ?? record.type, wrappers - 1)
}

/** The name of an object's class; `Object` if it has none. */
const classOf = (value: object): string =>
  tryOr(() => {
    const prototype: unknown = Object.getPrototypeOf(value)
    const classConstructor = prototype === null ? undefined : (prototype as { readonly constructor?: unknown }).constructor
    return typeof classConstructor === "function" ? nameOf(classConstructor) : undefined
  }, undefined) ?? "Object"

const nameOf = (classFunction: Function): string | undefined => {
  const name = tryOr<unknown>(() => classFunction.name, undefined)
  return typeof name === "string" && name !== "" ? shorten(name) : undefined
}

/** What toJSON makes of a value; the value itself if it has none. */
const jsonOf = (
  value: object,
  key: string
): { readonly failed: false; readonly value: unknown } | { readonly failed: true; readonly reason: string } => {
  try {
    const { toJSON } = value as { readonly toJSON?: unknown }
    return { failed: false, value: typeof toJSON === "function" ? toJSON.call(value, key) : value }
  } catch (cause) {
    // A revoked proxy fails at every access: that is its own fault, not that of a toJSON.
    return tryOr(() => "toJSON" in value, false) ? { failed: true, reason: reason(cause) } : { failed: false, value }
  }
}

/** The primitive inside `new String("x")`, as JSON.stringify sees it. */
const unboxed = (value: object): Primitive | undefined =>
  isPlain(value) ? undefined : tryOr(() =>
    value instanceof String ? String.prototype.valueOf.call(value)
      : value instanceof Number ? Number.prototype.valueOf.call(value)
      : value instanceof Boolean ? Boolean.prototype.valueOf.call(value)
      : undefined, undefined)

/** The entries of a record by name, at most `limit`, and their total number. */
export const entriesOf = (
  value: object,
  limit: number
): { readonly entries: ReadonlyArray<readonly [string, unknown]>; readonly count: number } => {
  const errorFields = tryOr(() => value instanceof Error, false) ? errorEntries(value as Error) : []
  const errorNames = new Set(errorFields.map(([name]) => name))
  const keys = tryOr(() => Object.keys(value), []).filter((name) => !errorNames.has(name))
  const entries = keys.slice(0, Math.max(0, limit - errorFields.length)).map((name) => [name, get(value, name)] as const)
  return { entries: [...errorFields, ...entries], count: errorFields.length + keys.length }
}

const errorEntries = (error: Error): ReadonlyArray<readonly [string, unknown]> => {
  const stack = get(error, "stack")
  const inner = (["cause", "errors"] as const).map((name) => [name, get(error, name)] as const)
  return [
    ["name", get(error, "name")],
    ["message", get(error, "message")],
    ...(typeof stack === "string" ? [["stack", shorten(stack, maxLengths.stack)] as const] : []),
    ...inner.filter(([, value]) => value !== undefined)
  ]
}

/** A property; if its getter throws, the error takes its place. */
export const get = (value: object, name: string | number): unknown => {
  try {
    return (value as Readonly<Record<string | number, unknown>>)[name]
  } catch (cause) {
    return `[getter failed: ${reason(cause)}]`
  }
}

/** A list's length, or the one it claims to have. */
export const lengthOf = (list: object): number => {
  const length = tryOr<unknown>(() => (list as ReadonlyArray<unknown>).length, 0)
  return typeof length === "number" && length > 0 && length < 2 ** 32 ? Math.floor(length) : 0
}

/** The first parts of a Map or Set and their total number, whatever its class does to iteration. */
export const partsOf = <A>(
  kind: "Map" | "Set",
  value: object,
  limit: number
): { readonly parts: ReadonlyArray<A>; readonly count: number } =>
  tryOr(() => {
    const parts: Array<A> = []
    const all = kind === "Map" ? Map.prototype.entries.call(value as Map<unknown, unknown>)
      : Set.prototype.values.call(value as Set<unknown>)
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

/** Only a genuine Map or Set reports its size: a proxy or a copy of its prototype throws. */
const brands = {
  Map: (value: object): boolean => value instanceof Map && sizes.Map(value) >= 0,
  Set: (value: object): boolean => value instanceof Set && sizes.Set(value) >= 0
}

const isDate = (value: object): value is Date => value instanceof Date && succeeds(() => Date.prototype.getTime.call(value))

const isRegExp = (value: object): value is RegExp => value instanceof RegExp

const isArrayBuffer = (value: object): value is ArrayBuffer =>
  value instanceof ArrayBuffer || (typeof SharedArrayBuffer === "function" && value instanceof SharedArrayBuffer)

const maxExactBigInt = 10n ** 1000n

/** Written in full up to 1,000 digits: longer ones would take quadratic time. */
const digits = (value: bigint): string => {
  const size = value < 0n ? -value : value
  if (size < maxExactBigInt) return `${value}n`
  return `${value < 0n ? "-" : ""}about 2^${(size.toString(16).length - 1) * 4}`
}

const reason = (cause: unknown): string =>
  tryOr(() => {
    const message = typeof cause === "object" && cause !== null && "message" in cause ? cause.message : cause
    return shorten(String(message), maxLengths.reason)
  }, "unknown")

const shorten = (text: string, limit: number = maxLengths.name): string => text.length <= limit ? text : clip(text, limit)

const tryOr = <A>(read: () => A, fallback: A): A => {
  try {
    return read()
  } catch {
    return fallback
  }
}

const succeeds = (read: () => unknown): boolean => tryOr(() => (read(), true), false)
