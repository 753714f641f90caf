/** What programs outside rely on, called as they call it: through the one entry, by its names and shapes alone. */
import { assert, describe, it } from "@effect/vitest"
import { build } from "esbuild"
import { builtinModules } from "node:module"
import { createContext, runInContext } from "node:vm"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import {
  Apply, ApplyPatch, ExactEdit, JsonStream, Normalize, Rule, SearchReplace, Session, SessionEvent, Step, UnifiedDiff, XmlTools
} from "../../src/domain/index.ts"

const got = Result.getOrThrow
const failed = <A, E>(result: Result.Result<A, E>): E => Result.getOrThrow(Result.flip(result))

describe("XmlTools", () => {
  const options = { tools: [{ name: "write_file", params: [{ name: "path" }, { name: "content", raw: true }] }] }
  const text = "I write it.\n\n<write_file><path> a.ts </path><content>\n<path>x</path>\n\n</content></write_file>\n\nDone."

  it("parses a whole text", () =>
    assert.deepStrictEqual(XmlTools.parse(text, options).map((part) => part._tag === "ToolCall" ? { ...part, id: "" } : part), [
      { _tag: "Text", text: "I write it." },
      { _tag: "ToolCall", id: "", name: "write_file", params: { path: "a.ts", content: "<path>x</path>\n" }, partial: false, warnings: [] },
      { _tag: "Text", text: "Done." }
    ]))

  it("parses a stream to the same parts, one id a call, deltas that append", () => {
    let state = XmlTools.initial(options)
    const all = []
    let content = ""
    for (const char of text) {
      const [next, parts] = XmlTools.push(state, char)
      state = next
      for (const part of parts) {
        all.push(part)
        if (part._tag === "ToolCall" && part.appended?.param === "content") content += part.appended.text
      }
    }
    all.push(...XmlTools.end(state))
    assert.deepStrictEqual(XmlTools.collect(all), XmlTools.parse(text, options))
    assert.strictEqual(content, "<path>x</path>\n")
    assert.strictEqual(new Set(all.flatMap((part) => part._tag === "ToolCall" ? [part.id] : [])).size, 1)
  })

  it("gives a cut call as partial, a broken one as malformed, thoughts as reasoning, and fences as told", () => {
    const only = (text: string, fences: "wrapper" | "text" = "wrapper") => XmlTools.parse(text, { ...options, fences })
    const [cut] = only("<write_file><path>a</pa")
    assert.deepStrictEqual(cut?._tag === "ToolCall" && [cut.partial, cut.params], [true, { path: "a" }])
    const [broken, next] = only("<write_file><path>a</path><write_file><path>b</path></write_file>")
    assert.deepStrictEqual(broken?._tag === "ToolCall" && broken.malformed, "its closing tag is missing")
    assert.deepStrictEqual(next?._tag === "ToolCall" && next.params, { path: "b" })
    assert.deepStrictEqual(only("<think>hm</think>"), [{ _tag: "Reasoning", text: "hm" }])
    const fenced = "```xml\n<write_file><path>a</path></write_file>\n```"
    assert.deepStrictEqual(only(fenced).map(({ _tag }) => _tag), ["ToolCall"])
    assert.deepStrictEqual(only(fenced, "text"), [{ _tag: "Text", text: fenced }])
  })
})

describe("JsonStream", () => {
  it("gives a usable value after each piece, and what grew", () => {
    let state = JsonStream.initial()
    state = JsonStream.push(state, "{\"path\": \"a.ts\", \"edits\": [{\"new\": \"on")
    assert.deepStrictEqual(JsonStream.value(state), { path: "a.ts", edits: [{ new: "on" }] })
    state = JsonStream.push(state, "e\"}")
    assert.deepStrictEqual(JsonStream.grown(state), [{ path: ["edits", 0, "new"], text: "e" }])
    state = JsonStream.push(state, "]}")
    assert.deepStrictEqual(got(JsonStream.end(state, "strict")), { value: { path: "a.ts", edits: [{ new: "one" }] }, repairs: [] })
  })

  it("is strict for running and repairs for showing, with what could be saved", () => {
    const cut = "{\"command\": \"rm -r"
    const error = failed(JsonStream.parse(cut, "strict"))
    assert.deepStrictEqual(error.partial, { command: "rm -r" })
    const { repairs, value } = got(JsonStream.parse(cut, "repair"))
    assert.deepStrictEqual(value, { command: "rm -r" })
    assert.isAbove(repairs.length, 0)
    assert.isTrue(Result.isFailure(JsonStream.end(JsonStream.push(JsonStream.initial({ maxBytes: 4 }), "[1,2,3]"), "strict")))
  })
})

describe("edits", () => {
  const file = "\ufeffconst a = 1\r\nconst b = 2\r\nconst c = 3"

  const formats = {
    SearchReplace: () => SearchReplace.parse("------- SEARCH\nconst b = 2\n=======\nconst b = 20\n+++++++ REPLACE\n"),
    UnifiedDiff: () => UnifiedDiff.parse("--- a/a.ts\n+++ b/a.ts\n@@ -2 +2 @@\n-const b = 2\n+const b = 20\n"),
    ApplyPatch: () => ApplyPatch.parse("*** Begin Patch\n*** Update File: a.ts\n-const b = 2\n+const b = 20\n*** End Patch"),
    ExactEdit: () => ExactEdit.parse({ old_text: "const b = 2", new_text: "const b = 20" })
  }
  for (const [name, parse] of Object.entries(formats)) {
    it(`apply as ${name}, keeping what the patch does not speak of`, () => {
      const { content, hunks, warnings } = got(Apply.apply(file, got(parse())))
      assert.strictEqual(content, "\ufeffconst a = 1\r\nconst b = 20\r\nconst c = 3")
      assert.deepStrictEqual(hunks, [{ oldStart: 2, oldLines: 1, newStart: 2, newLines: 1, strategy: "exact" }])
      assert.deepStrictEqual(warnings, [])
    })
    it(`apply as ${name} to files`, () =>
      assert.deepStrictEqual(got(Apply.applyAll({ "a.ts": file }, got(parse()))), {
        files: { "a.ts": "\ufeffconst a = 1\r\nconst b = 20\r\nconst c = 3" },
        warnings: []
      }))
  }

  it("of several files are all made or none", () => {
    const edits = got(ApplyPatch.parse([
      "*** Begin Patch", "*** Add File: new.ts", "+made", "*** Delete File: old.ts", "*** Update File: a.ts", "*** Move to: b.ts",
      "-const a = 1", "+const a = 10", "*** End Patch"
    ].join("\n")))
    assert.deepStrictEqual(got(Apply.applyAll({ "a.ts": "const a = 1\n", "old.ts": "x" }, edits)).files, {
      "new.ts": "made\n",
      "old.ts": null,
      "a.ts": null,
      "b.ts": "const a = 10\n"
    })
    const error = failed(Apply.applyAll({ "a.ts": "let it be\n", "old.ts": "x" }, edits))
    assert.deepStrictEqual(error.failures.map(({ block, path, reason }) => [reason, path, block]), [["NotFound", "a.ts", 1]])
  })

  it("take replace_all, a setting for similarity, and the leave to replace a whole file", () => {
    const all = got(ExactEdit.parse({ old_text: "a", new_text: "b", replace_all: true, path: "x" }))
    assert.deepStrictEqual(got(Apply.applyAll({ x: "aa\n" }, all)).files, { x: "bb\n" })
    const near = got(SearchReplace.parse("<<<<<<< SEARCH\nconst aplha = beta + gama\n=======\nx\n>>>>>>> REPLACE"))
    assert.strictEqual(failed(Apply.apply("const alpha = beta + gamma\n", near)).failures[0].reason, "NotFound")
    assert.strictEqual(got(Apply.apply("const alpha = beta + gamma\n", near, { similarity: 0.8 })).hunks[0]?.strategy, "similar")
    const whole = got(SearchReplace.parse("<<<<<<< SEARCH\n=======\nnew\n>>>>>>> REPLACE"))
    assert.strictEqual(failed(Apply.apply("old\n", whole)).failures[0].reason, "NotEmpty")
    assert.strictEqual(got(Apply.apply("old\n", whole, { replace: "whole" })).content, "new\n")
  })
})

describe("Rule", () => {
  it("compiles rules, refuses unknown ones, and evaluates calls", () => {
    const rules = got(Rule.compile({ allow: ["Bash(npm test *)", "Read", "mcp__any__thing"], ask: [], deny: ["Edit(.env)"] }, { root: "/repo", home: "/home/me" }))
    const decide = (call: Parameters<typeof Rule.evaluate>[1]) => Rule.evaluate(rules, call).decision
    assert.strictEqual(decide({ tool: "Bash", command: "npm test unit" }), "allow")
    assert.strictEqual(decide({ tool: "Bash", command: "npm test unit; rm -rf /" }), "ask")
    assert.strictEqual(decide({ tool: "Edit", path: "/repo/.env" }), "deny")
    assert.strictEqual(decide({ tool: "mcp__any__thing", input: {} }), "allow")
    assert.isTrue(Result.isFailure(Rule.compile({ allow: ["Nonsense(x)"], ask: [], deny: [] })))
  })
})

describe("Normalize", () => {
  it("makes any value JSON of at most so many bytes", () => {
    const loop: Record<string, unknown> = { at: new Date(0), n: 1n, f: () => 1, many: Array.from({ length: 5000 }, (_, i) => `${i}`) }
    loop["self"] = loop
    for (const maxBytes of [32, 100, 5000]) {
      assert.isAtMost(new TextEncoder().encode(JSON.stringify(Normalize.toSize(loop, { maxBytes }))).length, maxBytes)
    }
    assert.deepStrictEqual(Normalize.toSize({ a: { b: { c: {} } } }, { maxBytes: 5000, maxDepth: 1 }), { a: { b: "[Object]" } })
  })
})

describe("a session", () => {
  it("is the fold of events that survive their codec, and says what is next", () => {
    const event = {
      _tag: "SessionStarted", id: "s", version: "0", cwd: "/repo", home: "/home/me", seed: "seed", settings: Session.empty.settings
    }
    const encoded = { v: 1, seq: 0, time: 5, prev: "", hash: "a", event }
    const decoded = Schema.decodeUnknownSync(SessionEvent)(encoded)
    assert.deepStrictEqual(JSON.parse(JSON.stringify(Schema.encodeSync(SessionEvent)(decoded))), JSON.parse(JSON.stringify(encoded)))
    const started = Session.apply(Session.empty, decoded)
    assert.strictEqual(Step.next(started)._tag, "Rest")
    const said = Schema.decodeUnknownSync(SessionEvent)({ v: 1, seq: 1, time: 6, prev: "a", hash: "b", event: { _tag: "UserSaid", text: "Go", delivery: "steer" } })
    assert.strictEqual(Step.next(Session.apply(started, said))._tag, "CallModel")
  })
})

describe("the entry", () => {
  it("is one script for a browser, which needs no Node", async () => {
    const { metafile, outputFiles } = await build({
      stdin: {
        contents: "import * as domain from './src/domain/index.ts'; globalThis.domain = domain",
        resolveDir: new URL("../..", import.meta.url).pathname
      },
      bundle: true,
      format: "iife",
      platform: "browser",
      metafile: true,
      write: false,
      logLevel: "silent"
    })
    const imported = Object.values(metafile.inputs).flatMap(({ imports }) => imports.map(({ path }) => path))
    assert.deepStrictEqual(imported.filter((path) => path.startsWith("node:") || builtinModules.includes(path)), [])
    const page = createContext({ TextDecoder, TextEncoder, URL, URLSearchParams, Headers, console, setTimeout, clearTimeout, queueMicrotask, structuredClone, AbortController })
    runInContext(outputFiles[0]!.text, page)
    assert.strictEqual(runInContext("typeof process + typeof require + typeof Buffer", page), "undefinedundefinedundefined")
    const made = runInContext(`
      const { Apply, JsonStream, Normalize, Rule, SearchReplace, Session, Step, XmlTools } = domain
      const tools = [{ name: "edit_file", params: [{ name: "path" }, { name: "diff", raw: true }] }]
      const block = "------- SEARCH\\none\\n=======\\nONE\\n+++++++ REPLACE"
      const [call] = XmlTools.parse("<edit_file><path>a</path><diff>\\n" + block + "\\n</diff></edit_file>", { tools })
      const edits = SearchReplace.parse(call.params.diff).success
      const rules = Rule.compile({ allow: ["Bash(ls *)"], ask: [], deny: [] }).success
      JSON.stringify([
        Apply.apply("one\\ntwo\\n", edits).success.content,
        JsonStream.parse("{a: 'b'", "repair").success.value,
        Rule.evaluate(rules, { tool: "Bash", command: "ls src" }).decision,
        Normalize.toSize(new Map([[1, 2]]), { maxBytes: 100 }),
        Step.next(Session.empty)._tag
      ])
    `, page) as string
    assert.deepStrictEqual(JSON.parse(made), ["ONE\ntwo\n", { a: "b" }, "allow", { "[Map]": [[1, 2]] }, "Rest"])
  })
})
