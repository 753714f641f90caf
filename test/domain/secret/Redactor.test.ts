import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { createHmac } from "node:crypto"
import * as Redactor from "../../../src/domain/secret/Redactor.ts"
import { assertLinear } from "../cost.ts"
import { harmless, telling } from "./cases.ts"
import { known, rows } from "./rows.ts"
import { lookAlikes, wider } from "./wider.ts"

const tag = (secret: string) => createHmac("sha256", "a key").update(secret).digest("hex").slice(0, 8)
const redact = Redactor.make({ tag, secrets: known })

/** What is left of a text for someone who looks for pieces: without colours, NULs, blanks, and what a log puts between two writes. */
const bare = (text: string) => text.replace(/\x1b\[[0-9;]*m|\0|[\s|]|chunk\d:/g, "")

/** The first eight characters in a row of a secret that a text still holds. */
const survivor = (text: string, secret: string): string | undefined => {
  const [left, whole] = [bare(text), bare(secret)]
  for (let i = 0; i + 8 <= whole.length; i++) if (left.includes(whole.slice(i, i + 8))) return whole.slice(i, i + 8)
  return undefined
}

describe("the corpus of secrets", () => {
  for (const { expected, id, kind, secret, text, why } of rows) {
    it(`${id} ${expected}s ${kind}: ${why}`, () => {
      const out = redact(text)
      if (secret === null) assert.strictEqual(out, text)
      else {
        assert.notInclude(out, secret)
        assert.isUndefined(survivor(out, secret))
        assert.match(out, /\[REDACTED:[\w-]+:[\da-f]{8}\]/)
      }
      assert.strictEqual(redact(out), out, "a second time changes nothing")
      assert.strictEqual(expected, secret === null ? "keep" : "redact")
    })
  }
})

describe("other secrets than the corpus's", () => {
  for (const [name, before, secret, after] of [...telling, ...wider]) {
    it(`takes ${name} out and leaves what stands around it`, () => {
      const out = redact(before + secret + after)
      assert.notInclude(out, secret)
      assert.isTrue(out.startsWith(before), out)
      assert.isTrue(out.endsWith(after), out)
    })
  }
  for (const text of [...harmless, ...lookAlikes]) it(`leaves ${JSON.stringify(text).slice(0, 60)}`, () => assert.strictEqual(redact(text), text))
})

describe("placeholders", () => {
  const secret = `ghp_${"aB3dE5gH7jK9".repeat(3)}`

  it("are the same for the same secret wherever it stands, and others under another key", () => {
    const [a, b] = [redact(`token ${secret}.`), redact(`{"x": "${secret}"}`)].map((out) => /\[.*?\]/.exec(out)![0])
    assert.strictEqual(a, b)
    assert.notStrictEqual(Redactor.make({ tag: (text) => createHmac("sha256", "another").update(text).digest("hex").slice(0, 8) })(secret), a)
  })

  it("hide nothing that stands beside them", () => {
    assert.notInclude(redact(`password="[REDACTED:x:y]${secret}"`), secret)
    assert.notInclude(redact("password=[REDACTED:x:y]hunter2x"), "hunter2x")
  })

  it("leave the colours around a secret", () => {
    assert.strictEqual(redact(`\x1b[31mkey\x1b[0m: ${secret} \x1b[1mok\x1b[0m`), `\x1b[31mkey\x1b[0m: [REDACTED:github:${tag(secret)}] \x1b[1mok\x1b[0m`)
  })
})

describe("any text", () => {
  const pieces = Schema.Array(Schema.Literals([
    "password=", "token: ", "\"", "'", "\\", " ", "\n", "=", ":", "sk-ant-api03-", "eyJhbGciOiJIUzI1NiJ9", ".eyJ", "AKIA", "hunter2x9", "QWERTYUIOPAS1234", "ghp_",
    "aB3dE5gH7jK9mN1pQ3rS5", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "https://u:", "@host", "Cookie: a=", ";", "[REDACTED:a:b]", "\x1b[1m", "\0", "Bearer ", "<password>", "</password>", "(", "..."
  ]))

  it.effect.prop("is redacted once and for all", [pieces], ([texts]) => Effect.sync(() => {
    const once = redact(texts.join(""))
    assert.strictEqual(redact(once), once)
    assert.strictEqual(redact(texts.join("")), once)
  }), { arbitrary: { runs: 2000 } })

  it.effect.prop("keeps what is no secret", [Schema.String], ([text]) => Effect.sync(() => assert.strictEqual(redact(redact(text)), redact(text))))
})

describe("a long text", () => {
  const pieces = ["aB3dE5gH", "YWJj".repeat(8) + " ", "mysql -x ", "docker login ", "htpasswd -b ", "echo abc | ", "https://", "a://bcdefghijklmnopqrst", "key=\"a\" ", "(\"a\", ", "Private-Lines: 1\n", "machine a login b\n", "abc1Q~"]
  for (const piece of pieces) it(`takes time in proportion to its length: ${JSON.stringify(piece)}`, () => assertLinear(redact, piece, 1000))

  it("may be one run of ten million characters", () => {
    const run = "aB3dE5gHij".repeat(1_000_000)
    assert.strictEqual(redact(run), run)
    assert.match(redact(`sk-ant-api03-${run}`), /^\[REDACTED:anthropic:\w+\]$/)
  })
})
