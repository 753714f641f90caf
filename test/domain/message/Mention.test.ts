import { assert, describe, it } from "@effect/vitest"
import * as Mention from "../../../src/domain/message/Mention.ts"
import * as UserMessage from "../../../src/domain/message/UserMessage.ts"
import * as SlashCommand from "../../../src/domain/message/SlashCommand.ts"

describe("a mention", () => {
  const file = (path: string, sure = true): Mention.Mention => ({ _tag: "file", path, isExplicit: sure })
  const table: ReadonlyArray<readonly [string, ReadonlyArray<Mention.Mention>]> = [
    ["read @src/a.ts, then @/docs/ and @README.md.", [file("src/a.ts"), file("/docs/"), file("README.md")]],
    ["@\"my file.txt\" and @'other one.md' and @with\\ space.txt", [file("my file.txt"), file("other one.md"), file("with space.txt")]],
    ["(@src/a.ts) @src/a.ts", [file("src/a.ts")]],
    ["see @https://example.com/a?b=c#d.", [{ _tag: "page", url: "https://example.com/a?b=c#d" }]],
    ["@problems @terminal @git-changes", [{ _tag: "problems" }, { _tag: "terminal" }, { _tag: "changes" }]],
    ["what did @3f2a91c do?", [{ _tag: "commit", hash: "3f2a91c" }]],
    ["ask @ada, mail a@b.de, run `@src/a.ts`", [file("ada", false)]],
    ["```\n@src/a.ts\n```", []],
    ["@ and @.. and @facade", [file("facade", false)]],
    ["@../up.ts @./here.ts", [file("../up.ts"), file("./here.ts")]]
  ]
  for (const [text, found] of table) it(`in ${JSON.stringify(text)}`, () => assert.deepStrictEqual(Mention.find(text), found))
})

describe("a message", () => {
  it("is not empty, is UTF-8, and names at most 20 things", () => {
    assert.strictEqual(UserMessage.messageProblem("  \n"), "The message is empty.")
    assert.strictEqual(UserMessage.messageProblem("a\uFFFD"), "The message contains bytes that are not valid UTF-8.")
    assert.match(UserMessage.messageProblem(Array.from({ length: 21 }, (_, i) => `@${i}.ts`).join(" ")) ?? "", /^The message mentions 21 files and pages; the limit is 20\./)
    assert.isUndefined(UserMessage.messageProblem("Mend @a.ts"))
  })
})

describe("a command of the user's", () => {
  const command = (text: string) => SlashCommand.parse("review", text)

  it("is called by its name at the begin of a text", () => {
    assert.deepStrictEqual(SlashCommand.parseCall("/review src/a.ts now"), { name: "review", rest: "src/a.ts now" })
    assert.deepStrictEqual(SlashCommand.parseCall("/git:commit\nall"), { name: "git:commit", rest: "all" })
    for (const text of ["review", "see /review", "/usr/bin/env is where?", "/", "// a comment"]) assert.isUndefined(SlashCommand.parseCall(text))
  })

  it("has a description and a hint in its frontmatter, and a prompt", () => {
    assert.deepStrictEqual(command("---\ndescription: \"Review it\"\nargument-hint: [path]\nmodel: x\n---\n\nLook.\n"), {
      name: "review",
      description: "Review it",
      hint: "[path]",
      body: "Look."
    })
    assert.deepStrictEqual(command("--- no frontmatter\nLook."), { name: "review", body: "--- no frontmatter\nLook." })
  })

  const table: ReadonlyArray<readonly [string, string, string]> = [
    ["Review $1 for $2.", "src/a.ts \"bad names\"", "Review src/a.ts for bad names."],
    ["Do: $ARGUMENTS!", "a  b $1", "Do: a  b $1!"],
    ["Review.", "src/a.ts", "Review.\n\nsrc/a.ts"],
    ["Review $1 and $2.", "one", "Review one and ."],
    ["Review.", "", "Review."]
  ]
  for (const [body, rest, prompt] of table) {
    it(`${JSON.stringify(body)} with ${JSON.stringify(rest)}`, () => assert.strictEqual(SlashCommand.expand({ name: "review", body }, rest).map((piece) => "text" in piece ? piece.text : "").join(""), prompt))
  }

  it("runs commands that it names after an exclamation mark", () => {
    assert.deepStrictEqual(SlashCommand.expand({ name: "review", body: "Now: !`git show $1`, not `git diff`." }, "HEAD !`rm x`"), [
      { text: "Now: " },
      { command: "git show HEAD" },
      { text: ", not `git diff`." }
    ])
    assert.deepStrictEqual(SlashCommand.expand({ name: "review", body: "Look" }, "at !`rm x`"), [{ text: "Look" }, { text: "\n\nat !`rm x`" }])
  })
})
