/** Claims of docs/formats/xml-tools.md: `node bench/parser.ts`. */
import * as XmlTools from "../src/domain/parser/xml/XmlTools.ts"
import { cpuTime as time, report } from "./measure.ts"
import { reparse } from "./reparse.ts"

const options: XmlTools.Options = {
  tools: [
    { name: "read_file", params: [{ name: "path" }] },
    { name: "write_file", params: [{ name: "path" }, { name: "content", raw: true }] },
    { name: "execute_command", params: [{ name: "command" }] }
  ]
}

const fill = (line: string, length: number): string => line.repeat(Math.ceil(length / line.length)).slice(0, length)

const code = "  if (a < b && list[i] <T>(x: Array<number>)) return <div className=\"x\">{y}</div> // </path> `z`\n"
const plain = "  const total = items.map((item) => item.price * item.count).reduce((a, b) => a + b, 0)\n"
const prose = "For x < y we take <b>the read</b> one <<< of i<n; see <readme> and a < 3, <write me>, </p> or <.\n"

const inParameter = (line: string, length: number): string =>
  `I'll write it.\n<write_file><path>a.tsx</path><content>\n${fill(line, length)}\n</content></write_file>`

const pieces = (text: string, length: number): ReadonlyArray<string> =>
  Array.from({ length: Math.ceil(text.length / length) }, (_, i) => text.slice(i * length, (i + 1) * length))

const MB = 1_000_000
const oneShot = (text: string): number => time(() => XmlTools.parse(text, options))

/** As a screen does: each part is seen, none is kept. */
const stream = (pieces: ReadonlyArray<string>): unknown => {
  let state = XmlTools.initial(options)
  let seen: unknown
  for (const piece of pieces) {
    const [next, parts] = XmlTools.push(state, piece)
    state = next
    if (parts.length > 0) seen = parts
  }
  return [seen, XmlTools.end(state)]
}

const streamed = (text: string): number => {
  const all = pieces(text, 20)
  return time(() => stream(all))
}

const value = inParameter(plain, 10 * MB)
const tagged = inParameter(code, 10 * MB)
const angled = fill(prose, 10 * MB)
const small = inParameter(code, 20_000)
const smallPieces = pieces(small, 20)

report("XmlTools, 10 MB at once", "ms", [
  { claim: "in a parameter, 100 MB/s", ours: oneShot(value), limit: 100 },
  { claim: "in a parameter full of tags, 100 MB/s", ours: oneShot(tagged), limit: 100 },
  { claim: "in prose full of <, 50 MB/s", ours: oneShot(angled), limit: 200 }
])

const peer = { name: "re-parsing", value: time(() => reparse(smallPieces, options)) }
const inPieces = (length: number): number => streamed(inParameter(code, length))

report("XmlTools, in pieces of 20 characters", "ms", [
  { claim: "20 KB", ours: streamed(small), peer },
  { claim: "200 KB in a parameter", ours: inPieces(200_000), limit: 20 },
  { claim: "200 KB in prose full of <", ours: streamed(fill(prose, 200_000)), limit: 20 }
])

const growth = (claim: string, measure: (length: number) => number, length: number) => ({
  claim,
  ours: measure(length * 10) / measure(length),
  limit: 11
})

report("XmlTools, growth from 1 to 10 times the input", "times", [
  growth("2 to 20 MB at once", (length) => oneShot(inParameter(code, length)), 2 * MB),
  growth("2 to 20 MB of prose at once", (length) => oneShot(fill(prose, length)), 2 * MB),
  growth("200 KB to 2 MB in pieces", inPieces, 200_000),
  growth("2 to 20 MB in pieces", inPieces, 2 * MB)
])
