import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Rule from "../../../src/domain/approval/Rule.ts"
import * as AutoApprove from "../../../src/domain/mcp/AutoApprove.ts"
import * as Definition from "../../../src/domain/mcp/Definition.ts"
import * as Naming from "../../../src/domain/mcp/Naming.ts"

const read = (json: unknown) => Definition.parse("name", json)
const transport = (json: unknown) => Result.getOrThrow(read(json)).transport

describe("a server as it is written down", () => {
  const stdio: Definition.Transport = { _tag: "Stdio", command: "npx", args: ["-y", "pkg"], env: {} }

  it("is read in the spellings of the field", () => {
    assert.deepStrictEqual(transport({ command: "npx", args: ["-y", "pkg"] }), stdio)
    assert.deepStrictEqual(transport({ type: "stdio", command: "npx", args: ["-y", "pkg"], trust: true, autoApprove: ["x"] }), stdio)
    assert.deepStrictEqual(transport({ type: "local", command: ["npx", "-y", "pkg"], environment: { A: "b" }, enabled: true }), { ...stdio, env: { A: "b" } })
    assert.deepStrictEqual(transport({ url: "https://a.test/mcp" }), { _tag: "Http", url: "https://a.test/mcp", headers: {}, isTypeInferred: true })
    for (const type of ["http", "streamableHttp", "streamable-http", "remote"]) {
      assert.deepStrictEqual(transport({ type, url: "https://a.test/mcp" }), { _tag: "Http", url: "https://a.test/mcp", headers: {}, isTypeInferred: false })
    }
    assert.deepStrictEqual(transport({ httpUrl: "https://a.test/mcp" }), { _tag: "Http", url: "https://a.test/mcp", headers: {}, isTypeInferred: false })
    assert.deepStrictEqual(transport({ type: "sse", url: "https://a.test/sse", headers: { A: "b" } }), { _tag: "Sse", url: "https://a.test/sse", headers: { A: "b" }, isTypeInferred: false })
  })

  it("may live in the program that runs the command", () => {
    assert.deepStrictEqual(transport({ type: "sdk", name: "calc" }), { _tag: "Program" })
  })

  it("is refused with what is wrong", () => {
    const why = (json: unknown, name = "name") => Result.match(Definition.parse(name, json), { onSuccess: () => "", onFailure: (why) => why })
    assert.strictEqual(why({ type: "odd", command: "x" }), "\"type\" must be one of stdio, http, sse, not \"odd\"")
    assert.strictEqual(why({ command: "" }), "it needs a \"command\"")
    assert.strictEqual(why({ url: "nowhere" }), "\"nowhere\" is not a valid URL")
    assert.strictEqual(why({ command: "x" }, "a__b"), "its name must not contain two consecutive underscores")
    assert.match(why({ command: "x", timeout: -1 }), /timeout/)
    assert.match(why("text"), /object/)
  })

  it("has its variables filled in, and names one that is not set", () => {
    const made = transport({ command: "run", args: ["--key=${KEY}", "${NONE:-else}"], env: { A: "$KEY ${KEY}" } })
    assert.deepStrictEqual(Definition.expandVariables(made, { KEY: "k" }), Result.succeed({ ...made, args: ["--key=k", "else"], env: { A: "$KEY k" } } as Definition.Transport))
    assert.deepStrictEqual(Definition.expandVariables(transport({ url: "https://a.test/${PATH_}" }), {}), Result.fail("${PATH_} is not set in the environment"))
  })

  it("is told as a command that a person can read, with what it adds to the environment", () => {
    assert.strictEqual(Definition.commandLine(Result.getOrThrow(read({ command: "sh", args: ["-c", "rm -rf 'x'"], env: { A: "${B} c" } }))), "A='${B} c' sh -c 'rm -rf '\\''x'\\'''")
  })

  it("says which of its tools are wanted", () => {
    const wants = (json: object) => (tool: string) => Definition.includesTool(Result.getOrThrow(read({ command: "x", ...json })), tool)
    assert.deepStrictEqual(["a", "b"].map(wants({})), [true, true])
    assert.deepStrictEqual(["a", "b", "c"].map(wants({ includeTools: ["a", "b"], excludeTools: ["b"] })), [true, false, false])
  })
})

describe("the name of a tool", () => {
  it("stands as it is where every provider takes it, and is hashed where not, each in its own way", () => {
    assert.strictEqual(Naming.toolName("files", "read_file"), "mcp__files__read_file")
    const names = ["x".repeat(80), "x".repeat(81), "a.b", "a/b", "größe"].map((tool) => Naming.toolName("server", tool))
    for (const name of names) assert.match(name, /^mcp__server__[A-Za-z0-9_-]+_[0-9a-z]{7}$/)
    assert.deepStrictEqual([Math.max(...names.map(({ length }) => length)), new Set(names).size], [64, names.length])
  })
})

describe("definitions of Cline and Roo", () => {
  it("have timeouts in seconds, by their file or by a key that only they have; ours are in ms", () => {
    const timeoutMs = (json: object, isForeign = false) => Result.getOrThrow(Definition.parse("name", { command: "x", ...json }, isForeign)).timeoutMs
    assert.strictEqual(timeoutMs({ timeout: 60 }), 60)
    assert.strictEqual(timeoutMs({ timeout: 60 }, true), 60_000)
    assert.strictEqual(timeoutMs({ timeout: 60, autoApprove: [] }), 60_000)
    assert.strictEqual(timeoutMs({ timeout: 60, alwaysAllow: ["a"] }), 60_000)
    assert.strictEqual(timeoutMs({ timeout: 60_000, alwaysAllow: ["a"] }), 60_000)
  })

  it("become allow rules for the tools that they approve, whatever they contain", () => {
    const rules = (servers: Readonly<Record<string, unknown>>) => AutoApprove.rules(servers).map(({ rule }) => rule)
    assert.deepStrictEqual(rules({ a: { autoApprove: ["x", "y z"], alwaysAllow: ["w"] }, b: { alwaysAllow: ["*"] } }), ["mcp__a__x", Naming.toolName("a", "y z"), "mcp__a__w", "mcp__b"])
    assert.deepStrictEqual(rules({ a: { autoApprove: true }, b: null, c: { alwaysAllow: [1, {}, ""] }, "x__y": { alwaysAllow: ["z"] }, "*": { alwaysAllow: ["z"] }, __proto__: { alwaysAllow: ["z"] } }), [])
    for (const rule of rules({ a: { autoApprove: ["x) , *", "Bash(*)", "..", "*"] } })) assert.isTrue(Result.isSuccess(Rule.compile({ allow: [rule] })), rule)
  })

  it("name their keys that have no effect", () => {
    assert.deepStrictEqual(Definition.ignoredKeys({ command: "x", autoApprove: [], disabledTools: [], description: "d", trust: true, watchPaths: [] }), ["trust", "watchPaths"])
  })
})
