/** The file of `serve --tenants`: what it may contain, and what is said about anything else. */
import { describe, expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Tenants from "../../../src/domain/config/Tenants.ts"

const hash = (digit: string) => digit.repeat(64)
const fault = (file: unknown): string => Result.getOrThrow(Result.flip(Tenants.parse(file)))

describe("the tenants of a file", () => {
  it("have a name, tokens and limits", () => {
    const limits = { sessions: 4, messagesPerMinute: 60, usdPerDay: 12.5 }
    expect(Result.getOrThrow(Tenants.parse({ acme: { tokenHashes: [hash("a"), hash("b")], limits }, "globex-2": { tokenHashes: [hash("c")] } }))).toEqual([
      { name: "acme", tokenHashes: [hash("a"), hash("b")], limits },
      { name: "globex-2", tokenHashes: [hash("c")], limits: {} }
    ])
  })

  it.each<readonly [string, unknown, string]>([
    ["no tenants", {}, "has no tenants. Name at least one"],
    ["an empty file", undefined, "has no tenants. Name at least one"],
    ["a list", [], "Expected object"],
    ["a token instead of its hash", { acme: { tokenHashes: ["secret"] } }, "Expected the SHA-256 of a token, 64 lower-case hexadecimal digits: printf %s \"$TOKEN\" | sha256sum at [\"acme\"][\"tokenHashes\"][0]"],
    ["no tokens", { acme: { tokenHashes: [] } }, "Missing key at [\"acme\"][\"tokenHashes\"][0]"],
    ["an unknown field", { acme: { tokenHash: [hash("a")] } }, "\"tokenHash\" is not a setting in acme. Did you mean \"tokenHashes\"?"],
    ["an unknown limit", { acme: { tokenHashes: [hash("a")], limits: { session: 1 } } }, "\"session\" is not a setting in acme.limits. Did you mean \"sessions\"?"],
    ["a limit of nothing", { acme: { tokenHashes: [hash("a")], limits: { sessions: 0 } } }, "Expected a value between 1 and 100000 at [\"acme\"][\"limits\"][\"sessions\"]"],
    ["a limit that is no number", { acme: { tokenHashes: [hash("a")], limits: { usdPerDay: "10" } } }, "Expected number at [\"acme\"][\"limits\"][\"usdPerDay\"]"],
    ["a name that is a path", { "../acme": { tokenHashes: [hash("a")] } }, "\"../acme\" is not a valid name of a tenant"],
    ["a name in capitals", { Acme: { tokenHashes: [hash("a")] } }, "\"Acme\" is not a valid name of a tenant"],
    ["one token of two tenants", { acme: { tokenHashes: [hash("a")] }, globex: { tokenHashes: [hash("a")] } }, "gives acme and globex the same token (aaaaaaaa…). Give each tenant a token of its own."],
    ["a token twice", { acme: { tokenHashes: [hash("a"), hash("a")] } }, "names the token aaaaaaaa… twice in acme."],
    ["the hash of nothing", { acme: { tokenHashes: ["e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"] } }, "gives acme the SHA-256 of an empty text."]
  ])("are refused with %s", (_, file, message) => {
    expect(fault(file)).toContain(message)
  })
})
