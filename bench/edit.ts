/**
 * The edit engine against its claims: 50 blocks on a file of 10,000 lines, found exactly, but for white space, and only
 * by similarity; the same blocks streamed line by line with a preview after each; one block in 100 MB; and how each
 * grows from 1 to 10 times the input. Beside it, in the same run: `indexOf`, jsdiff's `applyPatch`, and a window of
 * Levenshtein distances slid over the file.
 */
import { applyPatch, createTwoFilesPatch } from "diff"
import * as Result from "effect/Result"
import { distance } from "fastest-levenshtein"
import * as Apply from "../src/domain/diff/Apply.ts"
import * as ExactEdit from "../src/domain/diff/ExactEdit.ts"
import * as Preview from "../src/domain/diff/Preview.ts"
import * as SearchReplace from "../src/domain/diff/SearchReplace.ts"
import { report, time } from "./measure.ts"

const verbs = ["load", "store", "parse", "render", "merge", "split", "count", "check", "send", "fetch"]
const nouns = ["Account", "Bundle", "Cursor", "Digest", "Element", "Frame", "Graph", "Header", "Index", "Journal"]

/** Plausible source: functions of ten lines, each unlike the others in its names and numbers. */
const source = (lines: number): ReadonlyArray<string> =>
  Array.from({ length: lines }, (_, i) => {
    const n = Math.floor(i / 10)
    const verb = verbs[n % 10]!
    const noun = nouns[Math.floor(n / 10) % 10]!
    const id = 1 + (n * 7919) % 100_003
    return [
      `export const ${verb}${noun}${id} = (input: ${noun}, limit = ${id}) => {`,
      `  const found = input.${verb}s.filter((each) => each.rank > ${id % 977})`,
      `  if (found.length === 0) return empty${noun}(limit, "${verb} ${id}")`,
      `  let total = ${id * 3}`,
      `  for (const each of found) {`,
      `    total += each.weight * ${id % 89} + each.offset`,
      `  }`,
      `  return { total, ${verb}: total / ${id % 53 + 1}, of: "${noun.toLowerCase()}" }`,
      `}`,
      ``
    ][i % 10]!
  })

interface Case {
  readonly content: string
  readonly diff: string
  readonly searches: ReadonlyArray<string>
}

/** `count` blocks of seven lines spread over the file; `spoil` is how the model got its search text wrong. */
const blocks = (lines: ReadonlyArray<string>, count: number, spoil: (line: string, i: number) => string): Case => {
  const step = Math.floor(lines.length / count / 10) * 10
  const searches = Array.from({ length: count }, (_, i) => lines.slice(i * step, i * step + 7))
  const diff = searches.map((search) =>
    `------- SEARCH\n${search.map(spoil).join("\n")}\n=======\n${search.with(3, "  let total = 0").join("\n")}\n+++++++ REPLACE\n`
  ).join("")
  return { content: `${lines.join("\n")}\n`, diff, searches: searches.map((search) => search.join("\n")) }
}

const asWritten = (line: string): string => line
const otherSpace = (line: string): string => `\t${line.trim()}  `
/** One letter wrong in every line but the short ones: no line of the block is in the file. */
const misspelled = (line: string): string => line.length < 4 ? `${line};` : line.replace(/([a-z])([a-z])(?=[^a-z]*$)/, "$2$1")

const run = ({ content, diff }: Case): Apply.Applied =>
  Result.getOrThrow(Result.flatMap(SearchReplace.parse(diff), (edits) => Apply.apply(content, edits)))

const stream = ({ content, diff }: Case): string => {
  let preview = Preview.initial(content, "search-replace")
  let length = 0
  for (const line of diff.split(/(?<=\n)/)) {
    preview = Preview.push(preview, line)
    length += Preview.content(preview).length
  }
  const { content: made } = Result.getOrThrow(Preview.end(preview))
  return length > 0 ? made : ""
}

const indexOf = ({ content, searches }: Case): string => {
  let made = content
  for (const search of searches) {
    const at = made.indexOf(search)
    made = `${made.slice(0, at)}${search.replace(/let total = \d+/, "let total = 0")}${made.slice(at + search.length)}`
  }
  return made
}

const slidingLevenshtein = (lines: ReadonlyArray<string>, search: string): number => {
  const height = search.split("\n").length
  let best = Infinity
  for (let i = 0; i + height <= lines.length; i++) best = Math.min(best, distance(lines.slice(i, i + height).join("\n"), search))
  return best
}

const lines = source(10_000)
const written = blocks(lines, 50, asWritten)
const spaced = blocks(lines, 50, otherSpace)
const similar = blocks(lines, 50, misspelled)
const expected = run(written).content
if (run(similar).content !== expected) throw new Error("the similar blocks were put elsewhere")
const strategies = new Set(run(similar).hunks.map(({ strategy }) => strategy))
if (strategies.size !== 1 || !strategies.has("similar")) throw new Error(`not by similarity: ${[...strategies]}`)
const patch = createTwoFilesPatch("a", "b", written.content, expected)

report("50 blocks on a file of 10,000 lines", "ms", [
  { claim: "exact", ours: time(() => run(written), 15), limit: 2, peer: { name: "indexOf", value: time(() => indexOf(written), 15) } },
  { claim: "exact, beside a unified diff of the same", ours: time(() => run(written), 15), limit: 2, peer: { name: "jsdiff applyPatch", value: time(() => applyPatch(written.content, patch), 15) } },
  { claim: "other white space in every line", ours: time(() => run(spaced), 15), limit: 5 },
  {
    claim: "similar: a letter wrong in every line",
    ours: time(() => run(similar), 9),
    limit: 20,
    peer: { name: "sliding Levenshtein (1 block × 50)", value: 50 * time(() => slidingLevenshtein(lines, similar.searches[25]!), 1) }
  },
  { claim: "streamed line by line, a preview after each", ours: time(() => stream(written), 9), limit: 10 }
])

const growth = (make: (lines: number) => Case, work: (each: Case) => unknown): number => {
  const [small, large] = [make(10_000), make(100_000)]
  return time(() => work(large), 5) / time(() => work(small), 9)
}
report("ten times the file and ten times the blocks", "times as long", [
  { claim: "exact", ours: growth((n) => blocks(source(n), n / 200, asWritten), run), limit: 15 },
  { claim: "other white space", ours: growth((n) => blocks(source(n), n / 200, otherSpace), run), limit: 15 },
  { claim: "streamed", ours: growth((n) => blocks(source(n), n / 200, asWritten), stream), limit: 15 }
])

const megabytes = 1024 * 1024
/** Ours allocates nothing that outlives a call but its result, so that the heap's growth is what a call holds. */
const big = (() => {
  const chunk = `${source(20_000).join("\n")}\n`
  const content = Buffer.from(chunk.repeat(Math.ceil(100 * megabytes / chunk.length)) + "the last line\n").toString("latin1")
  return { content, diff: "------- SEARCH\nthe last line\n=======\nit was\n+++++++ REPLACE\n", searches: [] }
})()
const memory = (): number => {
  const { arrayBuffers, external, heapUsed } = process.memoryUsage()
  return heapUsed + Math.max(arrayBuffers, external)
}
const held = (work: () => string): number => {
  globalThis.gc?.()
  const before = memory()
  const made = work()
  const after = memory()
  return made.length > 0 ? (after - before + big.content.length) / big.content.length : 0
}
const flat = (text: string): string => {
  text.charCodeAt(text.length >> 1)
  return text
}
const exactBig = (): string =>
  flat(Result.getOrThrow(Result.flatMap(
    ExactEdit.parse({ old_text: "the last line\n", new_text: "it was\n" }),
    (edits) => Apply.apply(big.content, edits)
  )).content)
report(`one block on a file of ${Math.round(big.content.length / megabytes)} MB`, "ms", [
  { claim: "a block of lines", ours: time(() => flat(run(big).content), 3), limit: 1500 },
  { claim: "an exact text", ours: time(exactBig, 3), limit: 1500 }
])
report("memory for it, the file and the result included", "times its size", [
  { claim: "a block of lines", ours: held(() => flat(run(big).content)), limit: 4 },
  { claim: "an exact text", ours: held(exactBig), limit: 4 }
])
