/**
 * Any JavaScript value as JSON of at most so many bytes, always: for results, error contexts and logs.
 *
 * The value is opened level by level, and each level's size is counted as it is read: nothing is read twice, nothing
 * below what can fit is read at all. The deepest level at which the whole fits is what is given back.
 */
import type * as Schema from "effect/Schema"
import * as JsonBytes from "./JsonBytes.ts"
import * as Shape from "./ValueShape.ts"

/** `maxBytes` of the value's JSON in UTF-8, 32 or more. `maxDepth`: levels that are opened below the root, 3 unless told. */
export interface Options {
  readonly maxBytes: number
  readonly maxDepth?: number
}

/** For structured results to the model, for the context of an error, and for everything else. */
export const limits = {
  result: { maxDepth: 10, maxBytes: 50_000 },
  error: { maxDepth: 5, maxBytes: 10_000 },
  other: { maxDepth: 3, maxBytes: 100_000 }
} satisfies Record<string, Options>

const most = { items: 100, keys: 50, depth: 500, least: 32 }

/** A value that was met: whole as it is, or with parts that may be opened. */
type Node = Leaf | Opened

interface Leaf {
  readonly _tag: "Leaf"
  readonly value: Shape.Primitive
  readonly bytes: number
}

interface Opened {
  readonly _tag: "Branch"
  readonly shape: Shape.Branch
  readonly above: Opened | undefined
  readonly markerBytes: number
  /** Names of a record's parts. */
  names: ReadonlyArray<string>
  /** A map's keys and values take turns. */
  parts: ReadonlyArray<Node>
  /** How many parts were not read. They are told by a last part. */
  missing: number
  built: Schema.Json
}

/**
 * The value as JSON within `maxBytes`. Primitives pass; `[undefined]`, `[NaN]`, `[BigInt: 1n]`, `[Function: name]`,
 * `[Symbol: description]`, `[Array(n)]`, `[ClassName]`, `[Circular]` stand for what JSON can't hold or what lies too
 * deep. Calls getters and toJSON at most once. Linear in what is read: at most 100 items of a list and 50 keys of a
 * record, and nothing more once the size is known to be too large.
 */
export const toSize = (value: unknown, { maxBytes, maxDepth = limits.other.maxDepth }: Options): Schema.Json => {
  const room = maxBytes > most.least ? maxBytes : most.least
  const root = read(value, "", undefined, room)
  if (root._tag === "Leaf") return root.bytes <= room ? root.value : JsonBytes.clip(String(root.value), room)
  const opened: Array<ReadonlyArray<Opened>> = []
  let fitting = -1
  let level: ReadonlyArray<Opened> = [root]
  /** Bytes of all that stands however deep the rest is opened. */
  let fixed = 0
  for (let depth = 0; depth <= Math.min(maxDepth, most.depth) && level.length > 0; depth++) {
    opened.push(level)
    const next: Array<Opened> = []
    let closed = 0
    for (const [i, branch] of level.entries()) {
      fixed += open(branch, room)
      for (const part of branch.parts) {
        if (part._tag === "Leaf") fixed += part.bytes
        else {
          next.push(part)
          closed += part.markerBytes
        }
      }
      // A branch that is not opened yet takes two bytes at least, as `{}`: then no deeper level fits either.
      if (fixed + 2 * (level.length - i - 1 + next.length) > room) return fitting === -1 ? thin(root, room) : build(opened, fitting)
    }
    if (fixed + closed <= room) fitting = depth
    level = next
  }
  return fitting === -1 ? thin(root, room) : build(opened, fitting)
}

const read = (value: unknown, key: string, above: Opened | undefined, room: number): Node => {
  if (isAbove(value, above)) return leaf("[Circular]", room)
  const shape = Shape.of(value, key)
  if (shape._tag === "Leaf") return leaf(shape.value, room)
  if (shape.value !== shape.source && isAbove(shape.value, above)) return leaf("[Circular]", room)
  return {
    _tag: "Branch",
    shape,
    above,
    markerBytes: JsonBytes.ofString(shape.marker),
    names: [],
    parts: [],
    missing: 0,
    built: null
  }
}

const leaf = (value: Shape.Primitive, room: number): Leaf => ({ _tag: "Leaf", value, bytes: JsonBytes.ofPrimitive(value, room) })

const isAbove = (value: unknown, above: Opened | undefined): boolean => {
  if (typeof value !== "object" || value === null) return false
  for (let one = above; one !== undefined; one = one.above) {
    if (one.shape.source === value || one.shape.value === value) return true
  }
  return false
}

/** Reads a branch's parts; gives the bytes of its own brackets, names, colons and commas. */
const open = (branch: Opened, room: number): number => opens[branch.shape._tag](branch, room)

const opens: { readonly [Tag in Shape.Branch["_tag"]]: (branch: Opened, room: number) => number } = {
  List: (branch, room) => {
    const count = Shape.lengthOf(branch.shape.value)
    const items = Array.from({ length: Math.min(count, most.items) }, (_, i) => Shape.get(branch.shape.value, i))
    take(branch, items.map((item, i) => read(item, String(i), branch, room)), count - items.length, room)
    return punctuation("List", branch.parts.length, false)
  },
  Set: (branch, room) => {
    const { count, parts } = Shape.partsOf<unknown>("Set", branch.shape.value, most.items)
    take(branch, parts.map((item, i) => read(item, String(i), branch, room)), count - parts.length, room)
    return punctuation("Set", branch.parts.length, false)
  },
  Map: (branch, room) => {
    const { count, parts } = Shape.partsOf<readonly [unknown, unknown]>("Map", branch.shape.value, most.items)
    const flat = parts.flatMap(([key, value], i) => [read(key, String(i), branch, room), read(value, String(i), branch, room)])
    take(branch, flat, count - parts.length, room)
    return punctuation("Map", branch.parts.length, branch.missing > 0)
  },
  Record: (branch, room) => {
    const { count, entries } = Shape.entriesOf(branch.shape.value, most.keys)
    take(branch, entries.map(([name, value]) => read(value, name, branch, room)), count - entries.length, room)
    const names = entries.map(([name]) => name)
    branch.names = branch.missing > 0 ? [...names, moreName(names)] : names
    return punctuation("Record", branch.parts.length, false) + branch.names.reduce((sum, name) => sum + JsonBytes.ofString(name, room), 0)
  }
}

const take = (branch: Opened, parts: ReadonlyArray<Node>, missing: number, room: number): void => {
  branch.missing = missing
  branch.parts = missing > 0 ? [...parts, leaf(JsonBytes.more(missing), room)] : parts
}

/** `{"name":}` */
const wrapper = (name: string): number => JsonBytes.ofString(name) + 3

/** Two brackets and the commas between. */
const brackets = (parts: number): number => 2 + Math.max(0, parts - 1)

/** A name that no part has. */
const moreName = (names: ReadonlyArray<string>): string => {
  let name = "…"
  while (names.includes(name)) name += "…"
  return name
}

/** From the deepest level up, so that a part is built before what holds it; what lies below `depth` is its marker. */
const build = (levels: ReadonlyArray<ReadonlyArray<Opened>>, depth: number): Schema.Json => {
  for (let at = depth; at >= 0; at--) {
    for (const branch of levels[at] ?? []) {
      const values = branch.parts.map((part) => part._tag === "Leaf" ? part.value : at === depth ? part.shape.marker : part.built)
      branch.built = assemble(branch.shape._tag, values, branch.names, branch.missing > 0)
    }
  }
  return levels[0]?.[0]?.built ?? null
}

const assemble = (
  tag: Shape.Branch["_tag"],
  values: ReadonlyArray<Schema.Json>,
  names: ReadonlyArray<string>,
  isCut: boolean
): Schema.Json => {
  switch (tag) {
    case "List":
      return values
    case "Set":
      return { "[Set]": values }
    case "Map":
      return { "[Map]": pairs(values, isCut) }
    case "Record":
      // fromEntries makes a part named __proto__ a part like any other.
      return Object.fromEntries(values.map((value, i) => [names[i] ?? "", value]))
  }
}

const pairs = (values: ReadonlyArray<Schema.Json>, isCut: boolean): ReadonlyArray<Schema.Json> => {
  const whole = isCut ? values.slice(0, -1) : values
  const found: Array<Schema.Json> = []
  for (let i = 0; i < whole.length; i += 2) found.push([whole[i] ?? null, whole[i + 1] ?? null])
  return isCut ? [...found, values.at(-1) ?? null] : found
}

/** Bytes below which a string says nothing any more. */
const leastString = 24

/** A part of the root as it stands when nothing below is opened, with the bytes of its value and of its name. */
interface Part {
  readonly value: Shape.Primitive
  readonly name: string | undefined
  readonly valueBytes: number
  readonly nameBytes: number
}

/**
 * The root's own parts do not fit: its longest strings and names are clipped to an equal share of the room, and where
 * a share would say nothing its last parts go; at the very last there is its marker.
 */
const thin = (root: Opened, room: number): Schema.Json => {
  const tag = root.shape._tag
  const step = tag === "Map" ? 2 : 1
  const read = root.missing > 0 ? root.parts.slice(0, -1) : root.parts
  const all = read.map((part, i): Part => {
    const name = tag === "Record" ? root.names[i] ?? "" : undefined
    const value = part._tag === "Leaf" ? part.value : part.shape.marker
    const valueBytes = part._tag === "Leaf" ? part.bytes : part.markerBytes
    return { value, name, valueBytes, nameBytes: name === undefined ? 0 : JsonBytes.ofString(name, room) }
  })
  for (let kept = all.length; kept > 0; kept -= step) {
    const missing = root.missing + (all.length - kept) / step
    const made = clipped(tag, missing === 0 ? all : [...all.slice(0, kept), rest(tag, missing)], missing > 0, room)
    if (made !== undefined) return made
  }
  return JsonBytes.clip(root.shape.marker, room)
}

const rest = (tag: Shape.Branch["_tag"], missing: number): Part => {
  const value = JsonBytes.more(missing)
  const name = tag === "Record" ? "…" : undefined
  return { value, name, valueBytes: JsonBytes.ofString(value), nameBytes: name === undefined ? 0 : JsonBytes.ofString(name) }
}

/** These parts with each string within a fair share; undefined where shares are too small or names become the same. */
const clipped = (tag: Shape.Branch["_tag"], parts: ReadonlyArray<Part>, isCut: boolean, room: number): Schema.Json | undefined => {
  const sizes = parts.flatMap(({ name, nameBytes, value, valueBytes }) => [
    ...(typeof value === "string" ? [valueBytes] : []),
    ...(name === undefined ? [] : [nameBytes])
  ])
  const plain = parts.reduce((sum, { value, valueBytes }) => sum + (typeof value === "string" ? 0 : valueBytes), 0)
  const share = fairShare(sizes, room - plain - punctuation(tag, parts.length, isCut))
  if (share < leastString) return undefined
  const clip = (text: string) => JsonBytes.clip(text, share)
  const names = parts.flatMap(({ name }) => name === undefined ? [] : [clip(name)])
  if (new Set(names).size < names.length) return undefined
  return assemble(tag, parts.map(({ value }) => typeof value === "string" ? clip(value) : value), names, isCut)
}

/** Bytes of brackets, commas and colons, as `open` counts them. */
const punctuation = (tag: Shape.Branch["_tag"], parts: number, isCut: boolean): number => {
  switch (tag) {
    case "List":
      return brackets(parts)
    case "Set":
      return wrapper("[Set]") + brackets(parts)
    case "Map": {
      const pairs = Math.floor(parts / 2)
      return wrapper("[Map]") + brackets(pairs + (isCut ? 1 : 0)) + pairs * brackets(2)
    }
    case "Record":
      return brackets(parts) + parts
  }
}

/** The largest share such that all sizes, each cut to it, fit into the room; Infinity where all fit whole. */
const fairShare = (sizes: ReadonlyArray<number>, room: number): number => {
  const rising = [...sizes].sort((a, b) => a - b)
  let left = room
  for (const [i, size] of rising.entries()) {
    const share = Math.floor(left / (rising.length - i))
    if (size > share) return share
    left -= size
  }
  return left < 0 ? 0 : Infinity
}
