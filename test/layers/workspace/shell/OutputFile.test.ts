import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import * as OutputFile from "../../../../src/layers/workspace/shell/OutputFile.ts"
import { folder } from "../fixture.ts"

/** Lines with their numbers, as they are read. */
const read = (file: OutputFile.OutputFile, from: number) =>
  Effect.promise(async () => {
    const found: Array<readonly [number, string]> = []
    for await (const { first, lines } of file.read(from)) lines.forEach((text, i) => found.push([first + i, text]))
    return found
  })

/** Writes lines that say their number, in pieces that end anywhere. */
const fill = (file: OutputFile.OutputFile, count: number) => {
  const text = Array.from({ length: count }, (_, i) => `line ${i + 1} ü\n`).join("")
  for (let at = 0, size = 1; at < text.length; at += size, size = (size * 7) % 4093 + 1) file.write(text.slice(at, at + size))
}

const right = (found: ReadonlyArray<readonly [number, string]>) => found.every(([n, text]) => text === `line ${n} ü`)

describe("the output of a command", () => {
  it.effect("is read from any line on, in memory and in a file that nobody else sees", () =>
    Effect.gen(function*() {
      const root = yield* folder()
      for (const memory of [1 << 20, 1000]) {
        const file = OutputFile.make(root, { head: 1 << 20, tail: 1 << 20, memory })
        fill(file, 5000)
        assert.strictEqual(file.count(), 5000)
        for (const from of [1, 2, 1024, 1025, 1026, 4999]) {
          const found = yield* read(file, from)
          assert.deepStrictEqual([found[0]?.[0], found.length, right(found)], [from, 5001 - from, true])
        }
        assert.deepStrictEqual(yield* read(file, 5001), [])
        assert.deepStrictEqual(fs.readdirSync(root), [])
        file.close()
      }
    }))

  it.effect("of a very long one the beginning and the newest part are kept, each line under its own number", () =>
    Effect.gen(function*() {
      const file = OutputFile.make(yield* folder(), { head: 20_000, tail: 60_000, memory: 1000 })
      fill(file, 60_000)
      const found = yield* read(file, 1)
      const gap = found.findIndex(([n], i) => n !== i + 1)
      assert.isTrue(right(found))
      assert.isAbove(gap, 1000)
      assert.isAbove(found[gap]![0], 50_000)
      assert.strictEqual(found.at(-1)?.[0], 60_000)
      assert.deepStrictEqual((yield* read(file, 59_000)).length, 1001)
      assert.deepStrictEqual((yield* read(file, 30_000))[0], found[gap])
      file.close()
    }))

  it.effect("of an endless line no more is held than is shown of it", () =>
    Effect.gen(function*() {
      const file = OutputFile.make(yield* folder(), { head: 1 << 20, tail: 1 << 20, memory: 1000 })
      for (let i = 0; i < 100; i++) file.write("x".repeat(100_000))
      file.write("\nlast\n")
      const found = yield* read(file, 1)
      assert.isTrue(found.every(([, text]) => text.length <= 512 * 1024))
      file.close()
    }))

  it.effect("that can't be written any more says so where it ends", () =>
    Effect.gen(function*() {
      const root = yield* folder({ "file": "" })
      const file = OutputFile.make(join(root, "file", "below"), { head: 1 << 20, tail: 1 << 20, memory: 100 })
      fill(file, 1000)
      const found = yield* read(file, 1)
      assert.deepStrictEqual(found[0], [1, "line 1 ü"])
      assert.match(found.at(-1)![1], /could not be stored: ENOTDIR/)
      file.close()
    }))
})
