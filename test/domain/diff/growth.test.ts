/** How the work grows, counted in calls of string methods and in windows measured; never in time. */
import { describe, expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Apply from "../../../src/domain/diff/Apply.ts"
import * as Locate from "../../../src/domain/diff/Locate.ts"
import * as StreamPreview from "../../../src/domain/diff/StreamPreview.ts"
import * as SearchReplace from "../../../src/domain/diff/SearchReplace.ts"
import { block, cut } from "./support.ts"

const counted = ["slice", "indexOf", "startsWith", "trim", "trimEnd", "charCodeAt"] as const

/** How often the work called a counted method of a string. */
const calls = (work: () => unknown): number => {
  const kept = counted.map((name) => [name, String.prototype[name]] as const)
  let count = 0
  for (const [name, method] of kept) {
    Object.defineProperty(String.prototype, name, {
      configurable: true,
      writable: true,
      value(this: string, ...args: ReadonlyArray<never>) {
        count++
        return Reflect.apply(method, this, args)
      }
    })
  }
  try {
    work()
  } finally {
    for (const [name, value] of kept) Object.defineProperty(String.prototype, name, { configurable: true, writable: true, value })
  }
  return count
}

const lines = (count: number): ReadonlyArray<string> => Array.from({ length: count }, (_, i) => `  const name${i} = ${i * 7}`)

const make = (count: number) => {
  const all = lines(count)
  const content = `${all.join("\n")}\n`
  const diff = Array.from({ length: count / 20 }, (_, i) => block(`${all[i * 20]}\n`, `changed ${i}\n`)).join("")
  return { content, diff }
}

const stream = ({ content, diff }: ReturnType<typeof make>, size: number): void => {
  let preview = StreamPreview.initial(content, "search-replace")
  for (const piece of cut(diff, [size])) StreamPreview.content(preview = StreamPreview.push(preview, piece))
}

describe("ten times the input takes ten times the work", () => {
  it.each([
    ["to apply", (count: number) => {
      const { content, diff } = make(count)
      return () => Result.getOrThrow(Result.flatMap(SearchReplace.parse(diff), (edits) => Apply.apply(content, edits)))
    }],
    ["to preview", (count: number) => () => stream(make(count), 40)],
    ["to preview in pieces of one character", (count: number) => () => stream(make(count), 1)],
    ["to find the common lines of a file of two kinds of lines", (count: number) => () => {
      const content = "a\nb\n".repeat(count)
      Locate.locate(Locate.target(content), "a\nb\n".repeat(count / 2).split("\n").slice(0, -1))
    }]
  ])("%s", (_, work) => {
    const [small, large] = [calls(work(200)), calls(work(2000))]
    expect(large / small).toBeLessThan(11)
  })

  it("and a block that is only similar is measured against few windows, however long the file", () => {
    const measured = (count: number): number => {
      const target = Locate.target(lines(count).map((line, i) => i % 10 === 3 ? `${line} // ${"other ".repeat(i % 7)}` : line).join("\n"))
      const search = ["  const nmae103 = 721 // other other other other other", "  const nmae104 = 728", "  const nmae105 = 735"]
      expect(Locate.locate(target, search).places).toHaveLength(1)
      return target.profile().measurements
    }
    expect(measured(10_000)).toBeLessThan(11 * measured(1000))
  })
})
