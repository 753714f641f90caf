import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as AutoInclude from "../../../src/domain/context/AutoInclude.ts"
import * as FileRole from "../../../src/domain/workspace/FileRole.ts"

const now = 1_000 * 3_600_000
const hours = (count: number): number => now - count * 3_600_000
const file = (over: Partial<AutoInclude.Candidate> = {}): AutoInclude.Candidate =>
  ({ path: "notes", tokens: 100, useCount: 0, isFailing: false, isNamed: false, isRelated: false, ...over })

describe("the score of a file", () => {
  const table: ReadonlyArray<readonly [string, Partial<AutoInclude.Candidate>, number]> = [
    ["is nothing where nothing speaks for it", {}, 0],
    ["falls by one each hour since it was touched", { touchedAt: hours(30) }, 70],
    ["has nothing left of that after 100 hours", { touchedAt: hours(101) }, 0],
    ["is no higher for a clock that goes wrong", { touchedAt: hours(-5) }, 100],
    ["rises by 5 each time that it was used", { useCount: 4 }, 20],
    ["rises by 50 at most", { useCount: 40 }, 50],
    ["is 20 for code", { path: "src/a.ts" }, 20],
    ["is 30 for configuration", { path: "web/package.json" }, 30],
    ["is 30 for a test, which is code too", { path: "src/a.test.ts" }, 30],
    ["is 65 for what someone else is editing", { editedAt: now - 59_000 }, 65],
    ["is 25 for what someone else changed in the last ten minutes", { editedAt: now - 9 * 60_000 }, 25],
    ["is 30 for what a recent error names", { isFailing: true }, 30],
    ["is 20 for what the user names", { isNamed: true }, 20],
    ["is 10 for what goes with what is in play", { isRelated: true }, 10],
    ["adds up", { path: "src/a.test.ts", touchedAt: now, useCount: 2, editedAt: now, isFailing: true, isNamed: true, isRelated: true }, 100 + 10 + 30 + 65 + 30 + 20 + 10]
  ]
  for (const [name, over, score] of table) it(name, () => assert.strictEqual(AutoInclude.score(file(over), now).score, score))

  it("lists its reasons, news first", () => {
    assert.strictEqual(AutoInclude.score(file({ touchedAt: now, editedAt: now }), now).why, "changed outside this session in the last minute")
    assert.strictEqual(AutoInclude.score(file({ touchedAt: now, useCount: 3, isFailing: true }), now).why, "named in a recent error")
    assert.strictEqual(AutoInclude.score(file({ touchedAt: now, path: "a.ts" }), now).why, "recently touched; code")
  })
})

describe("what a file is", () => {
  const table: Readonly<Record<string, ReadonlyArray<FileRole.FileRole>>> = {
    "src/a.ts": ["code"], "cmd/main.go": ["code"], "src/lib.rs": ["code"], "a/B.java": ["code"],
    "test/a.ts": ["code", "test"], "a_test.go": ["code", "test"], "tests/test_a.py": ["code", "test"], "src/ATest.java": ["code", "test"], "spec/a_spec.rb": ["code", "test"],
    "package.json": ["configuration"], "app/tsconfig.base.json": ["configuration"], "Cargo.toml": ["configuration"], "go.mod": ["configuration"], "pyproject.toml": ["configuration"],
    "pom.xml": ["configuration"], "build.gradle.kts": ["configuration"], "Gemfile": ["configuration"], "App.csproj": ["configuration"], "CMakeLists.txt": ["configuration"],
    "vite.config.ts": ["configuration"], "Dockerfile": ["configuration"],
    "README.md": [], "data.json": [], "contest.txt": []
  }
  for (const [path, roles] of Object.entries(table)) it(path, () => assert.deepStrictEqual(FileRole.of(path), roles))
})

describe("files belong together", () => {
  const sessions = (...lists: ReadonlyArray<ReadonlyArray<string>>) => lists.map((list) => new Set(list))
  it("where three earlier sessions touched both", () => {
    const earlier = sessions(["a", "b", "c"], ["a", "b"], ["b", "a", "d"], ["c", "d"])
    assert.deepStrictEqual([...AutoInclude.relatedPaths(earlier, new Set(["a"]))], ["b"])
    assert.deepStrictEqual([...AutoInclude.relatedPaths(earlier.slice(1), new Set(["a"]))], [])
    assert.deepStrictEqual([...AutoInclude.relatedPaths(earlier, new Set())], [])
  })
  it("with one file of those in play, not with several a little", () => {
    assert.deepStrictEqual([...AutoInclude.relatedPaths(sessions(["a", "x"], ["b", "x"], ["c", "x"]), new Set(["a", "b", "c"]))], [])
  })
})

describe("the choice of files", () => {
  const Files = Schema.Array(Schema.Struct({
    path: Schema.String,
    tokens: Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 5_000 }))),
    useCount: Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 20 }))),
    touchedAt: Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: now }))),
    isFailing: Schema.Boolean,
    isNamed: Schema.Boolean,
    isRelated: Schema.Boolean
  }))

  it.effect.prop("never passes its budget, and is the same in whatever order files come", [Files, Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 9_000 })))], ([files, tokens]) => Effect.sync(() => {
    const unique = [...new Map(files.map((one) => [one.path, one])).values()]
    const chosen = AutoInclude.choose(unique, now, tokens)
    assert.isAtMost(chosen.reduce((sum, { candidate }) => sum + candidate.tokens, 0), tokens)
    assert.deepStrictEqual(AutoInclude.choose(unique.toReversed(), now, tokens), chosen)
    assert.isTrue(chosen.every(({ score }) => score >= 50))
  }))

  it("takes what is worth most for its tokens, and passes over what does not fit", () => {
    const files = [
      file({ path: "small.ts", tokens: 100, touchedAt: now }),
      file({ path: "large.ts", tokens: 5_000, touchedAt: now, isFailing: true }),
      file({ path: "middle.ts", tokens: 900, touchedAt: now })
    ]
    assert.deepStrictEqual(AutoInclude.choose(files, now, 1_000).map(({ candidate }) => candidate.path), ["small.ts", "middle.ts"])
    assert.deepStrictEqual(AutoInclude.choose(files, now, 6_000).map(({ candidate }) => candidate.path), ["small.ts", "middle.ts", "large.ts"])
  })

  it("has the smaller of 50,000 tokens and a quarter of what is free, with what went along before", () => {
    assert.strictEqual(AutoInclude.availableTokens({ usable: 160_000, tokens: 40_000, included: 0 }), 30_000)
    assert.strictEqual(AutoInclude.availableTokens({ usable: 1_000_000, tokens: 40_000, included: 0 }), 50_000)
    assert.strictEqual(AutoInclude.availableTokens({ usable: 160_000, tokens: 60_000, included: 20_000 }), 10_000)
    assert.strictEqual(AutoInclude.availableTokens({ usable: 160_000, tokens: 159_000, included: 20_000 }), 0)
    assert.strictEqual(AutoInclude.availableTokens({ usable: 160_000, tokens: 0, included: 0, maxTokens: 500 }), 500)
  })
})

describe("a text that names a file", () => {
  const table: ReadonlyArray<readonly [string, string, boolean]> = [
    ["error in src/a.ts:3", "src/a.ts", true],
    ["at f (/repo/src/a.ts:3:4)", "src/a.ts", true],
    ["a.ts:3 failed", "src/a.ts", true],
    ["look at src/a.ts.", "src/a.ts", true],
    ["src/a.tsx:3", "src/a.ts", false],
    ["src/a.ts.snap", "src/a.ts", false],
    ["lib/src/a.ts", "src/a.ts", true],
    ["mysrc/a.ts", "src/a.ts", false],
    ["a.ts is nice", "src/a.ts", false]
  ]
  for (const [text, path, expected] of table) it(`${JSON.stringify(text)}: ${path}`, () => assert.strictEqual(AutoInclude.names(text, path), expected))

  it("by a symbol that is written like code", () => {
    assert.deepStrictEqual(AutoInclude.symbols("Why does parseLine fail? See `total`, MAX_SIZE and render(). Thank you, London"), ["parseLine", "total", "MAX_SIZE", "render"])
    assert.deepStrictEqual(
      [...AutoInclude.defines("export const total = 1\nfunc (s *Set) Add(x int) {}\ndef parse(x):\nclass Basket {}\n  if (function() {})")],
      ["total", "Add", "parse", "Basket"]
    )
  })
})
