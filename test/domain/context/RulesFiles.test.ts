import { assert, describe, it } from "@effect/vitest"
import * as RulesFiles from "../../../src/domain/context/RulesFiles.ts"

describe("the sections that a nearer rules file hides", () => {
  const far = "intro\n# A\na\n## B\nb\n# C\nc"
  const table: ReadonlyArray<readonly [string, string, string]> = [
    ["a section with its own sections", "@override A", "intro\n# C\nc"],
    ["a section below another", "@override b", "intro\n# A\na\n# C\nc"],
    ["nothing that is not there", "@override D", far],
    ["several", "@override B\n@override C", "intro\n# A\na"]
  ]
  for (const [name, near, left] of table) {
    it(name, () => assert.strictEqual(RulesFiles.fitRules([{ path: "far", text: far }, { path: "near", text: `${near}\nnear` }]).files[0]!.text, left))
  }

  it("is never of a managed file", () => {
    const { files, notes } = RulesFiles.fitRules([{ path: "far", text: far, isManaged: true }, { path: "near", text: "@override A\nnear" }])
    assert.deepStrictEqual([files.map(({ text }) => text), notes], [[far, "near"], []])
  })

  it("is not a heading in a block of code", () => {
    const code = "# A\n```\n# not a heading\n```\nmore\n# C\nc"
    assert.strictEqual(RulesFiles.fitRules([{ path: "far", text: code }, { path: "near", text: "@override A" }]).files[0]!.text, "# C\nc")
  })
})

describe("an include", () => {
  const found = (text: string) => RulesFiles.find(text).map(({ isAlone, path }) => `${path}${isAlone ? " alone" : ""}`)
  const table: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["@a.md", ["a.md alone"]],
    ["  @docs/a.md  \nnext", ["docs/a.md alone"]],
    ["see @docs/a.md.", ["docs/a.md"]],
    ["see @a.md, and (@b.md)", ["a.md", "b.md"]],
    ["@\"with spaces.md\"", ["with spaces.md alone"]],
    ["@~/a.md @/etc/passwd @../up.md", ["~/a.md", "/etc/passwd", "../up.md"]],
    ["mail me@home.de, ask @someone", []],
    ["`@a.md` and ``@b.md``\n```\n@c.md\n```\n~~~\n@d.md", []],
    ["@override Style", []]
  ]
  for (const [text, paths] of table) it(`in ${JSON.stringify(text)}`, () => assert.deepStrictEqual(found(text), paths))
})
