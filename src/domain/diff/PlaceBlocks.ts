/**
 * Which of its places each block takes. Several equally good ones are settled by the hint, by the order of blocks with
 * the same search text, or by the order of hunks; what is not settled is a failure that lists them.
 */
import { isApplied } from "./AlreadyApplied.ts"
import type { Block, Strategy } from "./Edit.ts"
import type { Failure } from "./EditError.ts"
import * as Locate from "./Locate.ts"
import { nearest } from "./NearestText.ts"
import * as Scope from "./HunkScope.ts"

/** A block and where it stands; `search` and `replace` as they were read in the end. */
export interface Placed {
  readonly block: Block
  readonly place: Locate.Place
  readonly search: ReadonlyArray<string>
  readonly replace: ReadonlyArray<string>
  readonly located: Locate.Located
}

export interface Settled {
  readonly placed: ReadonlyArray<Placed>
  readonly failures: ReadonlyArray<Failure>
  readonly warnings: ReadonlyArray<string>
}

export interface Options {
  readonly similarity?: number | undefined
  readonly inOrder?: boolean | undefined
  /** Every place of a block is meant, not one. */
  readonly all?: boolean | undefined
}

/** One block with the places that are left to it. */
interface Choice {
  readonly block: Block
  readonly search: ReadonlyArray<string>
  readonly replace: ReadonlyArray<string>
  readonly located: Locate.Located
  readonly places: ReadonlyArray<Locate.Place>
  readonly failure?: Failure
}

/** Places every block or says why not. O(diff + places); similarity is measured only for blocks found in no other way. */
export const settle = (target: Locate.Target, blocks: ReadonlyArray<Block>, options: Options = {}): Settled => {
  const warnings: Array<string> = []
  const find = finder(target, options.similarity)
  const choices = blocks.map((block) => choose(target, block, find, warnings))
  const alike = sameSearch(choices)
  const bounds = options.inOrder === true ? inOrder(choices) : undefined
  const placed: Array<Placed> = []
  const failures: Array<Failure> = []
  choices.forEach((choice, i) => {
    const { block, located, places, replace, search } = choice
    if (choice.failure !== undefined) {
      failures.push(choice.failure)
      return
    }
    const strategy = places[0]?.strategy
    if (options.all === true && strategy !== undefined && !isGuess(strategy)) {
      for (const place of apart(places, search.length)) placed.push({ block, place, located, search, replace })
      return
    }
    // Windows that are similar alike are no places: only one that is clearly the best is.
    const place = only(places) ?? (strategy === "similar" ? undefined
      : nearestToHint(choice) ?? alike.get(choice) ?? only(between(places, bounds?.[i])))
    if (place !== undefined) placed.push({ block, place, located, search, replace })
    else failures.push(places.length === 0 ? notFound(target, block, search) : ambiguous(block, places))
  })
  return { placed, failures, warnings }
}

export const notEmpty = "the search text is empty, which makes a new file, but this one has content"

const applied = (block: Block): Failure => ({
  reason: "AlreadyApplied",
  message: "the change is in the file already",
  ...at(block)
})

/** Places that share no line, from the top. */
const apart = (places: ReadonlyArray<Locate.Place>, length: number): ReadonlyArray<Locate.Place> => {
  let free = 0
  return places.filter(({ start }) => {
    if (start < free) return false
    free = start + length
    return true
  })
}

/**
 * The place of one block for as long as the others are not known: only where it is found by rule and settled by itself.
 * O(block + places).
 */
export const settleEarly = (target: Locate.Target, block: Block): Placed | undefined => {
  if (block.splits !== undefined) return undefined
  const { replace, search } = block
  const choice = search.length === 0 ? inserted(target, block, replace) : chosen(target, block, search, replace, Locate.locateSame(target, search))
  const place = only(choice.places) ?? nearestToHint(choice)
  return place === undefined ? undefined : { block, search, replace, place, located: choice.located }
}

const isGuess = (strategy: Strategy): boolean => strategy === "anchors" || strategy === "similar"

const only = <A>(list: ReadonlyArray<A>): A | undefined => list.length === 1 ? list[0] : undefined

type Find = (search: ReadonlyArray<string>) => Locate.Located

/** Looks a search text up once, in however many blocks it stands. */
const finder = (target: Locate.Target, similarity: number | undefined): Find => {
  const known = new Map<string, Locate.Located>()
  return (search) => {
    const text = search.join("\n")
    const located = known.get(text) ?? Locate.locate(target, search, similarity)
    known.set(text, located)
    return located
  }
}

/** The places of a block; of several possible separators, the last whose search side is found. */
const choose = (target: Locate.Target, block: Block, find: Find, warnings: Array<string>): Choice => {
  const readings = block.splits?.toReversed() ?? [block]
  for (const { replace, search } of readings) {
    if (search.length === 0) return inserted(target, block, replace)
    const located = find(search)
    if (isApplied(target, block, located.places)) return { block, search, replace, located, places: [], failure: applied(block) }
    if (located.places.length === 0) continue
    if (block.splits !== undefined) {
      const split = block.splits.find((each) => each.search === search)
      warnings.push(`block ${block.index}: of several ======= lines, took the one at line ${split?.line} for the separator`)
    }
    return chosen(target, block, search, replace, located)
  }
  const { replace, search } = block
  return { block, search, replace, located: { places: [], search }, places: [] }
}

const chosen = (
  target: Locate.Target,
  block: Block,
  search: ReadonlyArray<string>,
  replace: ReadonlyArray<string>,
  located: Locate.Located
): Choice => {
  const places = Scope.within(target, block.scopes ?? [], atEnd(target, block, located.places))
  return { block, search, replace, located, places }
}

/** A block with nothing to find: lines added at a place, or a file to make, which must not have content. */
const inserted = (target: Locate.Target, block: Block, replace: ReadonlyArray<string>): Choice => {
  const choice = { block, search: [], replace, located: { places: [], search: [] } }
  return block.keep === undefined && target.lines.count > 0
    ? { ...choice, places: [], failure: { reason: "NotEmpty", message: notEmpty, ...at(block) } }
    : { ...choice, places: Scope.insertion(target, block) }
}

/** A hunk that says it reaches the end of the file stands there if it can. */
const atEnd = (target: Locate.Target, block: Block, places: ReadonlyArray<Locate.Place>): ReadonlyArray<Locate.Place> => {
  if (block.atEnd !== true) return places
  const last = places.filter(({ start }) => start + block.search.length === target.lines.count)
  return last.length > 0 ? last : places
}

const nearestToHint = ({ block, located, places }: Choice): Locate.Place | undefined => {
  const hint = block.hint ?? located.firstNumber
  if (hint === undefined) return undefined
  const distances = places.map(({ start }) => Math.abs(start + 1 - hint))
  const least = distances.reduce((least, distance) => Math.min(least, distance), Infinity)
  return only(places.filter((_, i) => distances[i] === least))
}

/** Where the same search text stands in as many blocks as there are places, each block takes its own in order. */
const sameSearch = (choices: ReadonlyArray<Choice>): Map<Choice, Locate.Place> => {
  const groups = Map.groupBy(
    choices.filter(({ places }) => places.length > 1),
    ({ places, search }) => [places[0]!.start, places.length, ...search].join("\n")
  )
  const taken = new Map<Choice, Locate.Place>()
  for (const group of groups.values()) {
    const places = group[0]!.places
    if (places.length === group.length) group.forEach((choice, i) => taken.set(choice, places[i]!))
  }
  return taken
}

/** For each hunk, the lines between which it must begin so that all can stand in order. */
interface Bounds {
  readonly from: number
  readonly to: number
}

/** Greedily from the top for the earliest, from the bottom for the latest. O(choices × log places). */
const inOrder = (choices: ReadonlyArray<Choice>): ReadonlyArray<Bounds> => {
  let after = 0
  const earliest = choices.map(({ places }) => {
    const first = places[countBefore(places, after)]
    const from = first?.start ?? after
    if (first !== undefined) after = first.start + 1
    return from
  })
  let before = Infinity
  return choices.toReversed().map(({ places }, i): Bounds => {
    const last = places[countBefore(places, before) - 1]
    if (last !== undefined) before = last.start
    return { from: earliest[choices.length - 1 - i]!, to: before }
  }).reverse()
}

const between = (places: ReadonlyArray<Locate.Place>, bounds: Bounds | undefined): ReadonlyArray<Locate.Place> =>
  bounds === undefined ? places : places.slice(countBefore(places, bounds.from), countBefore(places, bounds.to + 1))

/** How many of the places, which ascend, begin before the line. */
const countBefore = (places: ReadonlyArray<Locate.Place>, line: number): number => {
  let low = 0
  let high = places.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (places[middle]!.start < line) low = middle + 1
    else high = middle
  }
  return low
}

const notFound = (target: Locate.Target, block: Block, search: ReadonlyArray<string>): Failure => {
  const near = nearest(target, search)
  return {
    reason: "NotFound",
    message: block.splits === undefined
      ? "the text to find is not in the file, and nothing there is similar enough"
      : `whichever line of = divides it (lines ${list(block.splits.map(({ line }) => line))}), the text to find is not in the file`,
    ...at(block),
    ...(near === undefined ? {} : { nearest: near })
  }
}

const ambiguous = (block: Block, places: ReadonlyArray<Locate.Place>): Failure => {
  const lines = places.map(({ start }) => start + 1)
  return {
    reason: "Ambiguous",
    message: severalPlaces(lines.length, lines),
    ...at(block),
    places: lines.slice(0, listed)
  }
}

/** So many of a text's places are listed. */
export const listed = 100

/** Which block a failure is about. */
export const at = ({ index, line }: Block): Pick<Failure, "block" | "line"> =>
  line === undefined ? { block: index } : { block: index, line }

export const severalPlaces = (count: number, lines: ReadonlyArray<number>): string =>
  `the text to find stands in ${count} places (${where(lines)}): add lines around it to say which`

const where = (lines: ReadonlyArray<number>): string => lines.length === 1 ? `all on line ${lines[0]}` : `lines ${list(lines)}`

const list = (lines: ReadonlyArray<number>): string =>
  lines.length <= 20 ? lines.join(", ") : `${lines.slice(0, 20).join(", ")}, …`
