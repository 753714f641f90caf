/** Custom commands in the formats of other agents, as their documentation describes the placeholders. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as SlashCommand from "../../../src/domain/message/SlashCommand.ts"
import type { Syntax } from "../../../src/domain/message/CommandSyntax.ts"

const expand = (syntax: Syntax, body: string, rest: string) =>
  SlashCommand.expand({ name: "fix", body, syntax }, rest).map((piece) => "command" in piece ? `<${piece.command}>` : piece.text).join("")

const table: Readonly<Record<"codex" | "gemini", ReadonlyArray<readonly [body: string, rest: string, prompt: string]>>> = {
  gemini: [
    ["Fix {{args}}.", "the bug", "Fix the bug."],
    ["Fix {{args}} and {{args}}.", "", "Fix  and ."],
    ["Fix it.", "the bug", "Fix it.\n\n/fix the bug"],
    ["Fix it.", "", "Fix it."],
    ["Found: !{grep -r {{args}} .} in {{args}}", "it's; rm -rf /", "Found: <grep -r 'it'\\''s; rm -rf /' .> in it's; rm -rf /"],
    ["!{awk '{ print $1 }' a.txt}", "", "<awk '{ print $1 }' a.txt>"],
    ["See @{docs/my notes.md}, and:@{src/}", "", "See @\"docs/my notes.md\", and: @\"src/\""],
    ["See @{docs/{{args}}.md}", "api", "See @\"docs/api.md\""],
    ["A } !{not closed", "", "A } !{not closed"],
    ["Say {{args}}", "!{rm x} @{.env} $& {{args}}", "Say !{rm x} @{.env} $& {{args}}"],
    ["Costs $1 and !`git diff`", "", "Costs $1 and !`git diff`"]
  ],
  codex: [
    ["Review $1 for $2.", "src/a.ts \"bad names\"", "Review src/a.ts for bad names."],
    ["Review $1 and $2.", "one", "Review one and ."],
    ["All: $ARGUMENTS", "a \"b c\"", "All: a \"b c\""],
    ["Fix $TICKET_ID in $FILE, $1", "now FILE=\"my file.ts\" TICKET_ID=A-7", "Fix A-7 in my file.ts, now"],
    ["Set $HOME, for $$5 and $$ARGUMENTS", "", "Set $HOME, for $5 and $ARGUMENTS"],
    ["Only $NAME", "OTHER=1 x", "Only $NAME\n\nOTHER=1 x"],
    ["Say $A", "A='$B $1'", "Say $B $1"],
    ["Run !`rm x` and !{rm x}", "", "Run !`rm x` and !{rm x}"]
  ]
}

describe("a command of another agent", () => {
  for (const syntax of ["codex", "gemini"] as const) {
    for (const [body, rest, prompt] of table[syntax])
      it(`${syntax}: ${JSON.stringify(body)} with ${JSON.stringify(rest)}`, () => assert.strictEqual(expand(syntax, body, rest), prompt))
  }

  it("is TOML with a prompt for Gemini, and says what is wrong with it otherwise", () => {
    const parse = (text: string) => SlashCommand.parseFile("git:fix", text, "gemini")
    assert.deepStrictEqual(parse("description = \"Fixes\"\nprompt = \"\"\"\nFix {{args}}\n\"\"\"\n"), Result.succeed({ name: "git:fix", body: "Fix {{args}}", description: "Fixes", syntax: "gemini" }))
    for (const [text, why] of [["prompt = ", /^it is not valid TOML: .*line 1/], ["prompt = 1", /needs a "prompt"/], [`a = ${"[".repeat(200_000)}`, /^it is not valid TOML/]] as const)
      assert.match(Result.getOrThrow(Result.flip(parse(text))), why)
  })
})
