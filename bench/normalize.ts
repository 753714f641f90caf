/**
 * Any value as JSON of a bounded size: its cost compared with JSON.stringify, which has no bound, and how the cost grows with
 * the size of the result, not with the size of the value.
 */
import * as Normalize from "../src/domain/tool/Normalize.ts"
import { report, time } from "./measure.ts"

const tree = (depth: number, width: number): unknown =>
  depth === 0 ? "a leaf of the tree" : Object.fromEntries(Array.from({ length: width }, (_, i) => [`key ${i}`, tree(depth - 1, width)]))

const small = tree(3, 8)
const large = tree(5, 8)
const size = JSON.stringify(large).length
const text = "one line of text, as it is read from files\n".repeat(100_000)

report("Normalize.toSize", "ms", [
  {
    claim: "512 leaves, all of them kept",
    ours: time(() => Normalize.toSize(small, { maxBytes: 50_000, maxDepth: 10 }), 20),
    peer: { name: "JSON.stringify", value: time(() => JSON.stringify(small), 20) }
  },
  {
    claim: "32,768 leaves, all of them kept",
    ours: time(() => Normalize.toSize(large, { maxBytes: size, maxDepth: 10 }), 10),
    peer: { name: "JSON.stringify", value: time(() => JSON.stringify(large), 10) }
  },
  {
    claim: "32,768 leaves, 10,000 bytes of them kept",
    ours: time(() => Normalize.toSize(large, { maxBytes: 10_000, maxDepth: 10 }), 20),
    peer: { name: "JSON.stringify", value: time(() => JSON.stringify(large), 10) }
  },
  {
    claim: "4.3 MB of text, 50,000 bytes of it kept",
    ours: time(() => Normalize.toSize({ text }, { maxBytes: 50_000 }), 20),
    peer: { name: "JSON.stringify", value: time(() => JSON.stringify({ text }), 10) }
  }
])
