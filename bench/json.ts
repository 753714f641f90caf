/** Claims of docs/formats/json-stream.md: `node bench/json.ts`. */
import { JSONParser } from "@streamparser/json"
import { jsonrepair } from "jsonrepair"
import { parse as jsonriver } from "jsonriver"
import { parse as partialJson } from "partial-json"
import * as JsonStream from "../src/domain/parser/json/JsonStream.ts"
import { cpuTime as time, cpuTimeAsync as timeAsync, report } from "./measure.ts"

const line = "  const total = items.map((item) => `${item.price * item.count}`) // \"quoted\"\n"

const oneString = (length: number): string =>
  JSON.stringify({ path: "a.ts", content: line.repeat(Math.ceil(length / line.length)) })

const edits = (length: number): string =>
  JSON.stringify({
    path: "a.ts",
    edits: Array.from({ length: Math.ceil(length / 120) }, (_, i) => ({ line: i, old_text: line.slice(0, 30), new_text: line.slice(5, 40) }))
  })

const pieces = (text: string): ReadonlyArray<string> =>
  Array.from({ length: Math.ceil(text.length / 20) }, (_, i) => text.slice(i * 20, i * 20 + 20))

/** A usable value after each piece. */
const ours = (pieces: ReadonlyArray<string>): unknown => {
  let state = JsonStream.initial()
  let seen: unknown
  for (const piece of pieces) {
    state = JsonStream.push(state, piece)
    seen = JsonStream.value(state)
  }
  return [seen, JsonStream.end(state, "strict")]
}

const streamparser = (pieces: ReadonlyArray<string>): unknown => {
  const parser = new JSONParser({ emitPartialTokens: true, emitPartialValues: true })
  let seen: unknown
  parser.onValue = ({ value }) => {
    seen = value
  }
  for (const piece of pieces) parser.write(piece)
  return seen
}

const river = async (pieces: ReadonlyArray<string>): Promise<unknown> => {
  let seen: unknown
  for await (const value of jsonriver(ReadableStream.from(pieces))) seen = value
  return seen
}

/** What the usual SDKs do: parse the whole text again after each piece. */
const again = (parse: (text: string) => unknown) => (pieces: ReadonlyArray<string>): unknown => {
  let text = ""
  let seen: unknown
  for (const piece of pieces) {
    text += piece
    try {
      seen = parse(text)
    } catch {
      // Nothing to show yet.
    }
  }
  return seen
}

const MB = 1_000_000

for (const [name, make] of [["one big string", oneString], ["an array of edits", edits]] as const) {
  const all = pieces(make(MB))
  const mine = time(() => ours(all))
  const few = pieces(make(98_000))
  const small = time(() => ours(few))
  report(`JsonStream, ${name}, in pieces of 20 characters`, "ms", [
    { claim: "1 MB, beside jsonriver", ours: mine, limit: 60, peer: { name: "jsonriver", value: await timeAsync(() => river(all)) } },
    { claim: "1 MB, beside @streamparser/json", ours: mine, limit: 60, peer: { name: "streamparser", value: time(() => streamparser(all)) } },
    { claim: "98 KB, beside parsing anew", ours: small, peer: { name: "partial-json", value: time(() => again(partialJson)(few)) } }
  ])
  const many = pieces(make(10 * MB))
  report(`JsonStream, ${name}, growth from 1 to 10 times the input`, "times", [
    { claim: "1 to 10 MB", ours: time(() => ours(many)) / time(() => ours(all)), limit: 12 }
  ])
}

const broken = JSON.stringify(Array.from({ length: 12_000 }, (_, i) => ({ line: i, old_text: "a line", text: `its better text, ${i}` }))).slice(0, -3)
report("JsonStream.parse, 1 MB at once", "ms", [
  { claim: "strict", ours: time(() => JsonStream.parse(edits(MB), "strict")), peer: { name: "JSON.parse", value: time(() => JSON.parse(edits(MB))) } },
  { claim: "repair of a cut text", ours: time(() => JsonStream.parse(broken, "repair")), peer: { name: "jsonrepair", value: time(() => JSON.parse(jsonrepair(broken))) } }
])
