/**
 * Chooses a place for each block. Several equally good ones are decided by the hint, by the order of blocks with the
 * same search text, or by the order of hunks; a tie is a failure that lists them.
 */
import { optional } from "../Optional.ts"
import type { Block, Strategy } from "./Edit.ts"
import type { Failure } from "./EditError.ts"
import * as Locate from "./Locate.ts"
import type { Place, Target } from "./Locate.ts"
import { nearestText } from "./NearestText.ts"
import * as HunkScope from "./HunkScope.ts"
import { hash, normalizeLine } from "./NormalizeLine.ts"
import * as LineIndex from "./LineIndex.ts"
import * as Lines from "./Lines.ts"

// Whether a hunk was applied before: its new side is where its old side should be.

/** Only hunks with context can be recognized as applied. `places` are those of the old side, certain or guessed. */
export const isApplied = (target: Target, block: Block, places: ReadonlyArray<Place>): boolean =>
  block.keep !== undefined && block.keep.some((line) => line >= 0) &&
  (places.every(({ strategy }) => strategy === "anchors" || strategy === "similar")
    ? isReplaced(target, block, places)
    : isAddedTwice(target, block, block.keep, places))

/** The old side is missing, or only something similar to it exists, while the new side is there and distinctive enough. */
const isReplaced = (target: Target, { keep = [], replace, search }: Block, guesses: ReadonlyArray<Place>): boolean =>
  (keep.includes(-1) || replace.filter((line) => line.trim() !== "").length > 1) &&
  occurrences(target, replace).some((at) =>
    guesses.length === 0 || guesses.some(({ start }) => at < start + search.length && start < at + replace.length)
  )

/**
 * The old side is only context, so it is still there. Hunks with numbers show as much context below as above except at
 * the edge of the file: one with context on one side alone has been applied if the added lines are there elsewhere.
 */
const isAddedTwice = (
  target: Target,
  { hint, replace, search }: Block,
  keep: ReadonlyArray<number>,
  places: ReadonlyArray<Place>
): boolean => {
  const leading = keep.findIndex((line) => line >= 0)
  const trailing = keep.length - 1 - keep.findLastIndex((line) => line >= 0)
  const isAdditionOnly = hint !== undefined && leading + trailing === keep.length - search.length && (leading > 0) !== (trailing > 0)
  if (!isAdditionOnly) return false
  const starts = new Set(occurrences(target, replace))
  return places.every(({ start }) => starts.has(start - leading) && (leading > 0 ? start > 0 : start + search.length < target.lines.count))
}

/** Where lines occur as written. */
const occurrences = ({ index, lines }: Target, run: ReadonlyArray<string>): ReadonlyArray<number> =>
  LineIndex.find(index, run.map((line) => hash(normalizeLine(line))))
    .filter((start) => run.every((line, i) => Lines.at(lines, start + i) === line))

/** A block and its place; `search` and `replace` as finally read. */
export interface Placement {
  readonly block: Block
  readonly place: Locate.Place
  readonly search: ReadonlyArray<string>
  readonly replace: ReadonlyArray<string>
  readonly location: Locate.LocateResult
}

export interface PlacementResult {
  readonly placements: ReadonlyArray<Placement>
  readonly failures: ReadonlyArray<Failure>
  readonly warnings: ReadonlyArray<string>
}

export interface Options {
  readonly similarity?: number | undefined
  readonly inOrder?: boolean | undefined
  /** Every place of a block should be replaced, not just one. */
  readonly all?: boolean | undefined
}

/** One block with its remaining places. */
interface Choice {
  readonly block: Block
  readonly search: ReadonlyArray<string>
  readonly replace: ReadonlyArray<string>
  readonly location: Locate.LocateResult
  readonly places: ReadonlyArray<Locate.Place>
  readonly failure?: Failure
}

/** Places every block or explains why not. O(diff + places); similarity is measured only for blocks located in no other way. */
export const placeBlocks = (target: Locate.Target, blocks: ReadonlyArray<Block>, options: Options = {}): PlacementResult => {
  const warnings: Array<string> = []
  const find = finder(target, options.similarity)
  const choices = blocks.map((block) => choose(target, block, find, warnings))
  const placeByChoice = sameSearch(choices)
  const bounds = options.inOrder === true ? orderBounds(choices) : undefined
  const placements: Array<Placement> = []
  const failures: Array<Failure> = []
  choices.forEach((choice, i) => {
    const { block, location, places, replace, search } = choice
    if (choice.failure !== undefined) {
      failures.push(choice.failure)
      return
    }
    const strategy = places[0]?.strategy
    if (options.all === true && strategy !== undefined && !isGuess(strategy)) {
      for (const place of disjointPlaces(places, search.length)) placements.push({ block, place, location, search, replace })
      return
    }
    // Equally similar windows don't count: only one that is clearly the best does.
    const place = onlyItem(places) ?? (strategy === "similar" ? undefined
      : nearestToHint(choice) ?? placeByChoice.get(choice) ?? onlyItem(placesWithin(places, bounds?.[i])))
    if (place !== undefined) placements.push({ block, place, location, search, replace })
    else failures.push(places.length === 0 ? notFound(target, block, search) : ambiguous(block, places))
  })
  return { placements, failures, warnings }
}

export const notEmptyMessage = "the search text is empty, which creates a new file, but this one has content"

const alreadyApplied = (block: Block): Failure => ({
  reason: "AlreadyApplied",
  message: "the change is already in the file",
  ...blockLocation(block)
})

/** Places that share no line, from the top. */
const disjointPlaces = (places: ReadonlyArray<Locate.Place>, length: number): ReadonlyArray<Locate.Place> => {
  let nextFree = 0
  return places.filter(({ start }) => {
    if (start < nextFree) return false
    nextFree = start + length
    return true
  })
}

/**
 * The place of one block while the others are not known: only if it is located by rule and unambiguous by itself.
 * O(block + places).
 */
export const placeEarly = (target: Locate.Target, block: Block): Placement | undefined => {
  if (block.splits !== undefined) return undefined
  const { replace, search } = block
  const choice = search.length === 0 ? insertionChoice(target, block, replace)
    : searchChoice(target, block, search, replace, Locate.locateByRule(target, search))
  const place = onlyItem(choice.places) ?? nearestToHint(choice)
  return place === undefined ? undefined : { block, search, replace, place, location: choice.location }
}

const isGuess = (strategy: Strategy): boolean => strategy === "anchors" || strategy === "similar"

const onlyItem = <A>(list: ReadonlyArray<A>): A | undefined => list.length === 1 ? list[0] : undefined

type Find = (search: ReadonlyArray<string>) => Locate.LocateResult

/** Looks up a search text once, however many blocks contain it. */
const finder = (target: Locate.Target, similarity: number | undefined): Find => {
  const cache = new Map<string, Locate.LocateResult>()
  return (search) => {
    const text = search.join("\n")
    const location = cache.get(text) ?? Locate.locate(target, search, similarity)
    cache.set(text, location)
    return location
  }
}

/** The places of a block; with several possible separators, the last one whose search side matches. */
const choose = (target: Locate.Target, block: Block, find: Find, warnings: Array<string>): Choice => {
  const readings = block.splits?.toReversed() ?? [block]
  for (const { replace, search } of readings) {
    if (search.length === 0) return insertionChoice(target, block, replace)
    const location = find(search)
    if (isApplied(target, block, location.places)) return { block, search, replace, location, places: [], failure: alreadyApplied(block) }
    if (location.places.length === 0) continue
    if (block.splits !== undefined) {
      const split = block.splits.find((candidate) => candidate.search === search)
      warnings.push(`block ${block.index}: of several ======= lines, treated the one at line ${split?.line} as the separator`)
    }
    if (HunkScope.isMissing(target, block.scopes ?? [])) {
      const headers = (block.scopes ?? []).map((scope) => `@@ ${scope}`).join(", ")
      warnings.push(`block ${block.index}: its header "${headers}" is not in the file; used only its lines`)
    }
    return searchChoice(target, block, search, replace, location)
  }
  const { replace, search } = block
  return { block, search, replace, location: { places: [], search }, places: [] }
}

const searchChoice = (
  target: Locate.Target,
  block: Block,
  search: ReadonlyArray<string>,
  replace: ReadonlyArray<string>,
  location: Locate.LocateResult
): Choice => {
  const places = HunkScope.placesInScope(target, block.scopes ?? [], atEnd(target, block, location.places))
  return { block, search, replace, location, places }
}

/** A block with nothing to find: lines added at a place, or a file to create, which must not have content. */
const insertionChoice = (target: Locate.Target, block: Block, replace: ReadonlyArray<string>): Choice => {
  const choice = { block, search: [], replace, location: { places: [], search: [] } }
  return block.keep === undefined && target.lines.count > 0
    ? { ...choice, places: [], failure: { reason: "NotEmpty", message: notEmptyMessage, ...blockLocation(block) } }
    : { ...choice, places: HunkScope.insertionPlaces(target, block) }
}

/** A hunk that claims to reach the end of the file is placed there if possible. */
const atEnd = (target: Locate.Target, block: Block, places: ReadonlyArray<Locate.Place>): ReadonlyArray<Locate.Place> => {
  if (block.atEnd !== true) return places
  const last = places.filter(({ start }) => start + block.search.length === target.lines.count)
  return last.length > 0 ? last : places
}

const nearestToHint = ({ block, location, places }: Choice): Locate.Place | undefined => {
  const hint = block.hint ?? location.firstNumber
  if (hint === undefined) return undefined
  const distances = places.map(({ start }) => Math.abs(start + 1 - hint))
  const minDistance = distances.reduce((minDistance, distance) => Math.min(minDistance, distance), Infinity)
  return onlyItem(places.filter((_, i) => distances[i] === minDistance))
}

/** If as many blocks have the same search text as there are places, each block takes its own in order. */
const sameSearch = (choices: ReadonlyArray<Choice>): Map<Choice, Locate.Place> => {
  const groups = Map.groupBy(
    choices.filter(({ places }) => places.length > 1),
    ({ places, search }) => [places[0]!.start, places.length, ...search].join("\n")
  )
  const assignments = new Map<Choice, Locate.Place>()
  for (const group of groups.values()) {
    const places = group[0]!.places
    if (places.length === group.length) group.forEach((choice, i) => assignments.set(choice, places[i]!))
  }
  return assignments
}

/** For each hunk, the lines between which it must begin so that all can be placed in order. */
interface Bounds {
  readonly from: number
  readonly to: number
}

/** Greedily from the top for the earliest, from the bottom for the latest. O(choices × log places). */
const orderBounds = (choices: ReadonlyArray<Choice>): ReadonlyArray<Bounds> => {
  let minStart = 0
  const earliest = choices.map(({ places }) => {
    const first = places[countBefore(places, minStart)]
    const from = first?.start ?? minStart
    if (first !== undefined) minStart = first.start + 1
    return from
  })
  let maxStart = Infinity
  return choices.toReversed().map(({ places }, i): Bounds => {
    const last = places[countBefore(places, maxStart) - 1]
    if (last !== undefined) maxStart = last.start
    return { from: earliest[choices.length - 1 - i]!, to: maxStart }
  }).reverse()
}

const placesWithin = (places: ReadonlyArray<Locate.Place>, bounds: Bounds | undefined): ReadonlyArray<Locate.Place> =>
  bounds === undefined ? places : places.slice(countBefore(places, bounds.from), countBefore(places, bounds.to + 1))

/** How many of the ascending places begin before the line. */
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
  const match = nearestText(target, search)
  return {
    reason: "NotFound",
    message: block.splits === undefined
      ? "the text to find is not in the file, and nothing in it is similar enough"
      : `whichever line of = is the separator (lines ${list(block.splits.map(({ line }) => line))}), the text to find is not in the file`,
    ...blockLocation(block),
    ...optional({ nearest: match })
  }
}

const ambiguous = (block: Block, places: ReadonlyArray<Locate.Place>): Failure => {
  const lines = places.map(({ start }) => start + 1)
  return {
    reason: "Ambiguous",
    message: ambiguousMessage(lines.length, lines),
    ...blockLocation(block),
    places: lines.slice(0, maxListedPlaces)
  }
}

/** How many places of a text are listed. */
export const maxListedPlaces = 100

/** The block that a failure is about. */
export const blockLocation = ({ index, line }: Block): Pick<Failure, "block" | "line"> =>
  line === undefined ? { block: index } : { block: index, line }

export const ambiguousMessage = (count: number, lines: ReadonlyArray<number>): string =>
  `the text to find occurs in ${count} places (${linesText(lines)}): add surrounding lines to identify one`

const linesText = (lines: ReadonlyArray<number>): string => lines.length === 1 ? `all on line ${lines[0]}` : `lines ${list(lines)}`

const list = (lines: ReadonlyArray<number>): string => lines.length <= 20 ? lines.join(", ") : `${lines.slice(0, 20).join(", ")}, …`
