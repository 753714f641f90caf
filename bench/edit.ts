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
import * as StreamPreview from "../src/domain/diff/StreamPreview.ts"
import * as SearchReplace from "../src/domain/diff/SearchReplace.ts"
import { cpu, cpuTime as time, report } from "./measure.ts"

const once = (work: () => unknown): number => {
  const start = cpu()
  work()
  return cpu() - start
}

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

/** The same in the first line alone. */
const misspelledOnce = (line: string, i: number): string => i === 0 ? misspelled(line) : line

const run = ({ content, diff }: Case): Apply.ApplyResult =>
  Result.getOrThrow(Result.flatMap(SearchReplace.parse(diff), (edits) => Apply.apply(content, edits)))

const stream = ({ content, diff }: Case): string => {
  let preview = StreamPreview.initial(content, "search-replace")
  let length = 0
  for (const line of diff.split(/(?<=\n)/)) {
    preview = StreamPreview.push(preview, line)
    length += StreamPreview.content(preview).length
  }
  const { content: made } = Result.getOrThrow(StreamPreview.end(preview))
  return length > 0 ? made : ""
}

/** The plainest engine: takes the first place of each block, in order, and looks for no second one. */
const indexOf = ({ content, searches }: Case): string => {
  let made = ""
  let copied = 0
  for (const search of searches) {
    const at = content.indexOf(search)
    made += content.slice(copied, at) + search.replace(/let total = \d+/, "let total = 0")
    copied = at + search.length
  }
  return made + content.slice(copied)
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
const nearly = blocks(lines, 50, misspelledOnce)
const expected = run(written).content
if (run(similar).content !== expected) throw new Error("the similar blocks were put elsewhere")
const strategies = new Set([...run(similar).hunks, ...run(nearly).hunks].map(({ strategy }) => strategy))
if (strategies.size !== 1 || !strategies.has("similar")) throw new Error(`not by similarity: ${[...strategies]}`)
// Let the compiler settle before the first figure.
for (let i = 0; i < 40; i++) run(written)
const patch = createTwoFilesPatch("a", "b", written.content, expected)

report("50 blocks on a file of 10,000 lines", "ms", [
  { claim: "exact", ours: time(() => run(written)), limit: 2, peer: { name: "indexOf", value: time(() => indexOf(written)) } },
  { claim: "exact, beside a unified diff of the same", ours: time(() => run(written)), limit: 2, peer: { name: "jsdiff applyPatch", value: time(() => applyPatch(written.content, patch)) } },
  { claim: "other white space in every line", ours: time(() => run(spaced)), limit: 5 },
  { claim: "similar: letters wrong in the first line", ours: time(() => run(nearly)), limit: 20 },
  {
    claim: "similar: letters wrong in every line",
    ours: time(() => run(similar)),
    limit: 20,
    peer: { name: "sliding Levenshtein (1 block × 50)", value: 50 * time(() => slidingLevenshtein(lines, similar.searches[25]!)) }
  },
  { claim: "streamed line by line, a preview after each", ours: time(() => stream(written)), limit: 10 }
])

const growth = (make: (lines: number) => Case, work: (each: Case) => unknown): number => {
  const [small, large] = [make(10_000), make(100_000)]
  return time(() => work(large)) / time(() => work(small))
}
report("ten times the file and ten times the blocks", "times as long", [
  { claim: "exact", ours: growth((n) => blocks(source(n), n / 200, asWritten), run), limit: 15 },
  { claim: "other white space", ours: growth((n) => blocks(source(n), n / 200, otherSpace), run), limit: 15 },
  { claim: "streamed", ours: growth((n) => blocks(source(n), n / 200, asWritten), stream), limit: 15 }
])

const megabytes = 1024 * 1024
/** The most memory that the process has held so far, in bytes. */
const peak = (): number => process.resourceUsage().maxRSS * 1024
const flat = (text: string): string => {
  text.charCodeAt(text.length >> 1)
  return text
}
globalThis.gc?.()
const before = process.memoryUsage().rss
const chunk = `${lines.join("\n")}\n`
const big = flat(`${chunk.repeat(Math.ceil(100 * megabytes / chunk.length))}the last line\n`)
const size = `${Math.round(big.length / megabytes)} MB`
const bigBlock = { content: big, diff: "------- SEARCH\nthe last line\n=======\nit was\n+++++++ REPLACE\n", searches: [] }
const bigExact = (): string =>
  flat(Result.getOrThrow(Result.flatMap(
    ExactEdit.parse({ old_text: "the last line\n", new_text: "it was\n" }),
    (edits) => Apply.apply(big, edits)
  )).content)
// One call each, as a tool makes it.
const blockTook = once(() => flat(run(bigBlock).content))
const held = Math.max(0, peak() - before) / big.length
report(`one block on a file of ${size}`, "ms", [
  { claim: "a block of lines", ours: blockTook, limit: 1500, peer: { name: "indexOf", value: once(() => big.indexOf("the last line")) } },
  { claim: "an exact text", ours: once(bigExact), limit: 1500 }
])
report("memory for it, the file, the result and the index included", "times its size", [
  { claim: "a block of lines", ours: held, limit: 4 }
])
