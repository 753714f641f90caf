/**
 * Converts any JavaScript value to JSON of at most a given size, always: for results, error contexts and logs.
 *
 * The value is opened level by level, and each level's size is counted as it is read: nothing is read twice, nothing
 * below what can fit is read at all. The result opens the deepest level at which everything fits.
 */
import type * as Schema from "effect/Schema"
import * as ValueShape from "./ValueShape.ts"

/** `maxBytes` of the value's JSON in UTF-8, 32 or more. `maxDepth`: levels that are opened below the root, 3 by default. */
export interface Options {
  readonly maxBytes: number
  readonly maxDepth?: number
}

/** For structured results to the model, for the context of an error, for lines of output, and for everything else. */
export const limits = {
  result: { maxDepth: 10, maxBytes: 50_000 },
  error: { maxDepth: 5, maxBytes: 10_000 },
  /** For the data of one line of JSON output: with it, lines fit into the 1 MiB that clients read at most. */
  line: { maxDepth: 20, maxBytes: 500_000 },
  other: { maxDepth: 3, maxBytes: 100_000 }
} satisfies Record<string, Options>

const bounds = { items: 100, keys: 50, depth: 500, minBytes: 32 }

/** A value that was read: complete, or with parts that may be opened. */
type Node = Leaf | OpenBranch

interface Leaf {
  readonly _tag: "Leaf"
  readonly value: ValueShape.Primitive
  readonly bytes: number
}

interface OpenBranch {
  readonly _tag: "Branch"
  readonly shape: ValueShape.Branch
  readonly parent: OpenBranch | undefined
  readonly markerBytes: number
  /** Keys of a record's parts. */
  names: ReadonlyArray<string>
  /** A map's keys and values alternate. */
  parts: ReadonlyArray<Node>
  /** How many parts were not read; a last part reports them. */
  missingCount: number
  json: Schema.Json
}

/**
 * The value as JSON within `maxBytes`. Primitives pass; `[undefined]`, `[NaN]`, `[BigInt: 1n]`, `[Function: name]`,
 * `[Symbol: description]`, `[Array(n)]`, `[ClassName]`, `[Circular]` stand for what JSON can't represent or what lies
 * too deep. Calls getters and toJSON at most once. Linear in what is read: at most 100 items of a list and 50 keys of a
 * record, and nothing more once the size is known to be too large.
 */
export const toSize = (value: unknown, { maxBytes, maxDepth = limits.other.maxDepth }: Options): Schema.Json => {
  const availableBytes = maxBytes > bounds.minBytes ? maxBytes : bounds.minBytes
  const root = read(value, "", undefined, availableBytes)
  if (root._tag === "Leaf") return root.bytes <= availableBytes ? root.value : ValueShape.clip(String(root.value), availableBytes)
  const levels: Array<ReadonlyArray<OpenBranch>> = []
  let fittingDepth = -1
  let level: ReadonlyArray<OpenBranch> = [root]
  /** Bytes of everything whose size is the same however deep the rest is opened. */
  let fixedBytes = 0
  for (let depth = 0; depth <= Math.min(maxDepth, bounds.depth) && level.length > 0; depth++) {
    levels.push(level)
    const next: Array<OpenBranch> = []
    let closedBytes = 0
    for (const [i, branch] of level.entries()) {
      fixedBytes += open(branch, availableBytes)
      for (const part of branch.parts) {
        if (part._tag === "Leaf") fixedBytes += part.bytes
        else {
          next.push(part)
          closedBytes += part.markerBytes
        }
      }
      // An unopened branch takes at least two bytes, as `{}`: then no deeper level fits either.
      if (fixedBytes + 2 * (level.length - i - 1 + next.length) > availableBytes)
        return fittingDepth === -1 ? clipRoot(root, availableBytes) : build(levels, fittingDepth)
    }
    if (fixedBytes + closedBytes <= availableBytes) fittingDepth = depth
    level = next
  }
  return fittingDepth === -1 ? clipRoot(root, availableBytes) : build(levels, fittingDepth)
}

const read = (value: unknown, key: string, parent: OpenBranch | undefined, availableBytes: number): Node => {
  if (isAncestor(value, parent)) return leaf("[Circular]", availableBytes)
  const shape = ValueShape.of(value, key)
  if (shape._tag === "Leaf") return leaf(shape.value, availableBytes)
  if (shape.value !== shape.source && isAncestor(shape.value, parent)) return leaf("[Circular]", availableBytes)
  return {
    _tag: "Branch",
    shape,
    parent,
    markerBytes: ValueShape.ofString(shape.marker),
    names: [],
    parts: [],
    missingCount: 0,
    json: null
  }
}

const leaf = (value: ValueShape.Primitive, availableBytes: number): Leaf => ({
  _tag: "Leaf",
  value,
  bytes: ValueShape.ofPrimitive(value, availableBytes)
})

const isAncestor = (value: unknown, parent: OpenBranch | undefined): boolean => {
  if (typeof value !== "object" || value === null) return false
  for (let ancestor = parent; ancestor !== undefined; ancestor = ancestor.parent) {
    if (ancestor.shape.source === value || ancestor.shape.value === value) return true
  }
  return false
}

/** Reads a branch's parts; returns the bytes of its own brackets, keys, colons and commas. */
const open = (branch: OpenBranch, availableBytes: number): number => openByTag[branch.shape._tag](branch, availableBytes)

const openByTag: { readonly [Tag in ValueShape.Branch["_tag"]]: (branch: OpenBranch, availableBytes: number) => number } = {
  List: (branch, availableBytes) => {
    const count = ValueShape.lengthOf(branch.shape.value)
    const items = Array.from({ length: Math.min(count, bounds.items) }, (_, i) => ValueShape.get(branch.shape.value, i))
    setParts(branch, items.map((item, i) => read(item, String(i), branch, availableBytes)), count - items.length, availableBytes)
    return punctuation("List", branch.parts.length, false)
  },
  Set: (branch, availableBytes) => {
    const { count, parts } = ValueShape.partsOf<unknown>("Set", branch.shape.value, bounds.items)
    setParts(branch, parts.map((item, i) => read(item, String(i), branch, availableBytes)), count - parts.length, availableBytes)
    return punctuation("Set", branch.parts.length, false)
  },
  Map: (branch, availableBytes) => {
    const { count, parts } = ValueShape.partsOf<readonly [unknown, unknown]>("Map", branch.shape.value, bounds.items)
    const flat = parts.flatMap((
      [key, value],
      i
    ) => [read(key, String(i), branch, availableBytes), read(value, String(i), branch, availableBytes)])
    setParts(branch, flat, count - parts.length, availableBytes)
    return punctuation("Map", branch.parts.length, branch.missingCount > 0)
  },
  Record: (branch, availableBytes) => {
    const { count, entries } = ValueShape.entriesOf(branch.shape.value, bounds.keys)
    setParts(branch, entries.map(([name, value]) => read(value, name, branch, availableBytes)), count - entries.length, availableBytes)
    const names = entries.map(([name]) => name)
    branch.names = branch.missingCount > 0 ? [...names, moreName(names)] : names
    return punctuation("Record", branch.parts.length, false) +
      branch.names.reduce((sum, name) => sum + ValueShape.ofString(name, availableBytes), 0)
  }
}

const setParts = (branch: OpenBranch, parts: ReadonlyArray<Node>, missing: number, availableBytes: number): void => {
  branch.missingCount = missing
  branch.parts = missing > 0 ? [...parts, leaf(ValueShape.moreNote(missing), availableBytes)] : parts
}

/** `{"name":}` */
const wrapper = (name: string): number => ValueShape.ofString(name) + 3

/** Two brackets and the commas between. */
const brackets = (parts: number): number => 2 + Math.max(0, parts - 1)

/** A key that no part has. */
const moreName = (names: ReadonlyArray<string>): string => {
  let name = "…"
  while (names.includes(name)) name += "…"
  return name
}

/** From the deepest level up, so that a part is built before its container; anything below `depth` is a marker. */
const build = (levels: ReadonlyArray<ReadonlyArray<OpenBranch>>, depth: number): Schema.Json => {
  for (let at = depth; at >= 0; at--) {
    for (const branch of levels[at] ?? []) {
      const values = branch.parts.map((part) => part._tag === "Leaf" ? part.value : at === depth ? part.shape.marker : part.json)
      branch.json = assemble(branch.shape._tag, values, branch.names, branch.missingCount > 0)
    }
  }
  return levels[0]?.[0]?.json ?? null
}

const assemble = (
  tag: ValueShape.Branch["_tag"],
  values: ReadonlyArray<Schema.Json>,
  names: ReadonlyArray<string>,
  isTruncated: boolean
): Schema.Json => {
  switch (tag) {
    case "List":
      return values
    case "Set":
      return { "[Set]": values }
    case "Map":
      return { "[Map]": pairs(values, isTruncated) }
    case "Record":
      // fromEntries treats a part named __proto__ like any other.
      return Object.fromEntries(values.map((value, i) => [names[i] ?? "", value]))
  }
}

const pairs = (values: ReadonlyArray<Schema.Json>, isTruncated: boolean): ReadonlyArray<Schema.Json> => {
  const flat = isTruncated ? values.slice(0, -1) : values
  const entries: Array<Schema.Json> = []
  for (let i = 0; i < flat.length; i += 2) entries.push([flat[i] ?? null, flat[i + 1] ?? null])
  return isTruncated ? [...entries, values.at(-1) ?? null] : entries
}

/** The size in bytes below which a clipped string is useless. */
const minStringBytes = 24

/** A part of the root with nothing below it opened, and the bytes of its value and of its key. */
interface Part {
  readonly value: ValueShape.Primitive
  readonly name: string | undefined
  readonly valueBytes: number
  readonly nameBytes: number
}

/**
 * The root's own parts do not fit: its longest strings and keys are clipped to an equal share of the space; if a share
 * becomes useless its last parts are dropped, and finally only its marker remains.
 */
const clipRoot = (root: OpenBranch, availableBytes: number): Schema.Json => {
  const tag = root.shape._tag
  const step = tag === "Map" ? 2 : 1
  const read = root.missingCount > 0 ? root.parts.slice(0, -1) : root.parts
  const all = read.map((part, i): Part => {
    const name = tag === "Record" ? root.names[i] ?? "" : undefined
    const value = part._tag === "Leaf" ? part.value : part.shape.marker
    const valueBytes = part._tag === "Leaf" ? part.bytes : part.markerBytes
    return { value, name, valueBytes, nameBytes: name === undefined ? 0 : ValueShape.ofString(name, availableBytes) }
  })
  for (let count = all.length; count > 0; count -= step) {
    const missing = root.missingCount + (all.length - count) / step
    const result = clipped(tag, missing === 0 ? all : [...all.slice(0, count), missingPart(tag, missing)], missing > 0, availableBytes)
    if (result !== undefined) return result
  }
  return ValueShape.clip(root.shape.marker, availableBytes)
}

const missingPart = (tag: ValueShape.Branch["_tag"], missing: number): Part => {
  const value = ValueShape.moreNote(missing)
  const name = tag === "Record" ? "…" : undefined
  return { value, name, valueBytes: ValueShape.ofString(value), nameBytes: name === undefined ? 0 : ValueShape.ofString(name) }
}

/** These parts with each string within a fair share; undefined if shares are too small or keys become equal. */
const clipped = (
  tag: ValueShape.Branch["_tag"],
  parts: ReadonlyArray<Part>,
  isTruncated: boolean,
  availableBytes: number
): Schema.Json | undefined => {
  const sizes = parts.flatMap(({ name, nameBytes, value, valueBytes }) => [
    ...(typeof value === "string" ? [valueBytes] : []),
    ...(name === undefined ? [] : [nameBytes])
  ])
  const fixedBytes = parts.reduce((sum, { value, valueBytes }) => sum + (typeof value === "string" ? 0 : valueBytes), 0)
  const share = fairShare(sizes, availableBytes - fixedBytes - punctuation(tag, parts.length, isTruncated))
  if (share < minStringBytes) return undefined
  const clip = (text: string) => ValueShape.clip(text, share)
  const names = parts.flatMap(({ name }) => name === undefined ? [] : [clip(name)])
  if (new Set(names).size < names.length) return undefined
  return assemble(tag, parts.map(({ value }) => typeof value === "string" ? clip(value) : value), names, isTruncated)
}

/** Bytes of brackets, commas and colons, as `open` counts them. */
const punctuation = (tag: ValueShape.Branch["_tag"], parts: number, isTruncated: boolean): number => {
  switch (tag) {
    case "List":
      return brackets(parts)
    case "Set":
      return wrapper("[Set]") + brackets(parts)
    case "Map": {
      const pairs = Math.floor(parts / 2)
      return wrapper("[Map]") + brackets(pairs + (isTruncated ? 1 : 0)) + pairs * brackets(2)
    }
    case "Record":
      return brackets(parts) + parts
  }
}

/** The largest share such that all sizes, each cut to it, fit into the space; Infinity if all fit uncut. */
const fairShare = (sizes: ReadonlyArray<number>, availableBytes: number): number => {
  const ascending = [...sizes].sort((a, b) => a - b)
  let bytesLeft = availableBytes
  for (const [i, size] of ascending.entries()) {
    const share = Math.floor(bytesLeft / (ascending.length - i))
    if (size > share) return share
    bytesLeft -= size
  }
  return bytesLeft < 0 ? 0 : Infinity
}
