import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Rule from "../../../src/domain/approval/Rule.ts"
import corpus from "../../corpora/shell.json" with { type: "json" }
import { attacks } from "./attackRows.ts"
import { rows } from "./shellRows.ts"

interface Row {
  readonly id: string
  readonly rules: Rule.Rules
  readonly command: string
  readonly expected: string
  readonly acceptable?: ReadonlyArray<string>
}

const places = { root: "/home/dev/proj", home: "/home/dev" }

/** Rules that are refused when they are loaded allow nothing: the command is asked. */
const verdict = ({ command, rules }: Pick<Row, "command" | "rules">): string =>
  Result.match(Rule.compile(rules, places), {
    onFailure: () => "ask",
    onSuccess: (compiled) => Rule.evaluate(compiled, { tool: "Bash", command }).decision
  })

describe("the corpus of shell commands", () => {
  const judged = (corpus.rows as ReadonlyArray<Row>).map((row) => ({ ...row, verdict: verdict(row) }))
  const ids = (rows: ReadonlyArray<Row>) => rows.map(({ id }) => id)

  it("allows nothing that should ask or be denied", () => {
    assert.deepStrictEqual(ids(judged.filter(({ expected, verdict }) => verdict === "allow" && expected !== "allow")), [])
  })

  it("denies all that is denied whatever happens at run time", () => {
    assert.deepStrictEqual(ids(judged.filter(({ expected, verdict }) => expected === "deny" && verdict !== "deny")), [])
  })

  it("asks for at most one in twenty of what should be allowed", () => {
    const allowed = judged.filter(({ expected }) => expected === "allow")
    const asked = allowed.filter(({ acceptable, verdict }) => verdict !== "allow" && acceptable?.includes(verdict) !== true)
    assert.isAtMost(asked.length / allowed.length, 0.05, ids(asked).join())
  })

  it("denies only what it should", () => {
    assert.deepStrictEqual(ids(judged.filter(({ expected, verdict }) => verdict === "deny" && expected !== "deny")), [])
  })
})

describe("our own rows", () => {
  it.each([...rows, ...attacks])("$command under $rules is $expected", ({ command, expected, rules }) => {
    const lists = {
      allow: rules.filter((rule) => !/^[!?]/.test(rule)),
      ask: rules.filter((rule) => rule.startsWith("?")).map((rule) => rule.slice(1)),
      deny: rules.filter((rule) => rule.startsWith("!")).map((rule) => rule.slice(1))
    }
    assert.strictEqual(verdict({ rules: lists, command }), expected)
  })
})
