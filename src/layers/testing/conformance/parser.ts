/**
 * The contract of every Parser, as cases that any test runner can run: a case fails with an assertion. The parser must know
 * one call in a text: `<read_file>`, `<path>a.txt</path>` and `</read_file>`, each on a line, reads that file.
 *
 *     for (const { name, run } of ParserConformance.cases(MyParser.layer)) it.effect(name, () => run)
 */
import * as assert from "node:assert/strict"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { Chunk } from "../../../domain/message/Chunk.ts"
import type { Part, Remarks, ToolCallPart } from "../../../domain/message/Part.ts"
import type { ToolFormat } from "../../../domain/provider/Model.ts"
import type { ToolSpec } from "../../../domain/tool/ToolSpec.ts"
import { Parser } from "../../../services/Parser.ts"
import { type Case, over } from "./ServiceCase.ts"

const tools: ReadonlyArray<ToolSpec> = ["read_file", "run_command"].map((name) => ({
  name,
  description: `Does ${name}.`,
  params: [{ name: "path", description: "Which file.", required: true, raw: false }],
  schema: { type: "object", properties: { path: { type: "string" } }, required: ["path"], additionalProperties: false },
  aliases: []
}))

/** The call that a parser must know in a text. */
export const callText = "<read_file>\n<path>a.txt</path>\n</read_file>"

const text = (text: string): Chunk => ({ _tag: "TextDelta", text })
const start = (id: string, name: string): Chunk => ({ _tag: "ToolCallStart", id, name })
const args = (id: string, text: string): Chunk => ({ _tag: "ToolCallArgs", id, text })
const end = (id: string): Chunk => ({ _tag: "ToolCallEnd", id })
const finish: Chunk = { _tag: "Finish", reason: "stop", raw: "stop" }

const textOf = (parts: Parts): string => parts.flatMap((part) => part._tag === "Text" ? [part.text] : []).join("")

/** The complete calls; one without an end, or that continues after it, fails. */
const callsOf = (parts: Parts): ReadonlyArray<ToolCallPart> => {
  const states = parts.flatMap((part) => part._tag === "ToolCall" ? [part] : [])
  const complete = states.filter(({ partial }) => !partial)
  assert.deepEqual(new Set(complete.map(({ id }) => id)), new Set(states.map(({ id }) => id)), "a call never ended")
  for (const { id } of complete) {
    const ownStates = states.filter((call) => call.id === id)
    assert.equal(ownStates.findIndex(({ partial }) => !partial), ownStates.length - 1, `the call ${id} continued after its end`)
  }
  return complete
}

const summary = (calls: ReadonlyArray<ToolCallPart>) => calls.map(({ name, params }) => ({ name, params: { ...params } }))

/** `layer` is built for each case. */
export const cases = <E>(layer: Layer.Layer<Parser, E>): ReadonlyArray<Case> => {
  const check = (name: string, body: (parse: Parse) => Effect.Effect<void, unknown>): Case =>
    over(Parser, layer)(
      name,
      ({ parse }) => body((format, chunks) => Stream.runCollect(parse(format, tools)(Stream.fromIterable(chunks))))
    )
  return [
    check("passes on text and reasoning as they come, and no more", (parse) =>
      Effect.gen(function*() {
        const parts = yield* parse("native", [
          { _tag: "ReasoningDelta", text: "Let me " },
          { _tag: "ReasoningDelta", text: "see." },
          text("One, "),
          text("two."),
          finish
        ])
        assert.equal(parts.flatMap((part) => part._tag === "Reasoning" ? [part.text] : []).join(""), "Let me see.")
        assert.equal(textOf(parts), "One, two.")
        assert.deepEqual(callsOf(parts), [])
      })),
    check("reads the arguments of a native call, however they are cut", (parse) =>
      Effect.gen(function*() {
        const json = JSON.stringify({ path: "src/ä \"1\".ts" })
        for (let i = 0; i <= json.length; i++) {
          const parts: Parts = yield* parse("native", [
            text("I look."),
            start("c1", "read_file"),
            args("c1", json.slice(0, i)),
            args("c1", json.slice(i)),
            end("c1"),
            finish
          ])
          assert.deepEqual(summary(callsOf(parts)), [{ name: "read_file", params: { path: "src/ä \"1\".ts" } }])
          assert.equal(textOf(parts), "I look.")
        }
      })),
    check("keeps calls apart whose arguments come mixed", (parse) =>
      Effect.gen(function*() {
        const parts = yield* parse("native", [
          start("c1", "read_file"),
          start("c2", "run_command"),
          args("c1", "{\"path\":"),
          args("c2", "{\"path\":\"b\"}"),
          args("c1", "\"a\"}"),
          end("c1"),
          end("c2"),
          finish
        ])
        assert.deepEqual(summary(callsOf(parts)).toSorted((a, b) => a.name < b.name ? -1 : 1), [
          { name: "read_file", params: { path: "a" } },
          { name: "run_command", params: { path: "b" } }
        ])
      })),
    check("never completes a call whose arguments are cut off", (parse) =>
      Effect.gen(function*() {
        const parts = yield* parse("native", [start("c1", "read_file"), args("c1", "{\"path\":\"a"), end("c1"), finish])
        assert.ok(parts.every((part) => part._tag !== "ToolCall" || part.partial || part.malformed !== undefined))
      })),
    check("reads a call in the text, however the text is cut", (parse) =>
      Effect.gen(function*() {
        for (let i = 0; i <= callText.length; i++) {
          const parts: Parts = yield* parse("xml", [text("I look.\n"), text(callText.slice(0, i)), text(callText.slice(i)), finish])
          assert.deepEqual(summary(callsOf(parts)), [{ name: "read_file", params: { path: "a.txt" } }])
          assert.equal(textOf(parts).trim(), "I look.")
        }
      })),
    check("reads no call in the text of a model that has native ones", (parse) =>
      Effect.gen(function*() {
        const parts = yield* parse("native", [text(callText), finish])
        assert.deepEqual([callsOf(parts), textOf(parts)], [[], callText])
      })),
    check("puts remarks last", (parse) =>
      Effect.gen(function*() {
        for (const format of ["native", "xml"] as const) {
          const parts: Parts = yield* parse(format, [text(`Try <read_file> and\n${callText.slice(0, -4)}`), finish])
          assert.ok(parts.slice(0, -1).every(({ _tag }) => _tag !== "Remarks"))
        }
      })),
    over(Parser, layer)("passes on a failure after what came before it", ({ parse }) =>
      Effect.gen(function*() {
        const parts: Array<Part | Remarks> = []
        const chunks = Stream.concat(Stream.make(text("Half")), Stream.fail("broken"))
        const exit = yield* parse("native", tools)(chunks).pipe(
          Stream.runForEach((part) => Effect.sync(() => void parts.push(part))),
          Effect.exit
        )
        assert.deepEqual(exit, Exit.fail("broken"))
        assert.equal(textOf(parts), "Half")
      })),
    check("begins anew with each response", (parse) =>
      Effect.gen(function*() {
        yield* parse("xml", [text("<read_file>\n<path>b"), finish])
        const parts = yield* parse("xml", [text(callText), finish])
        assert.deepEqual(summary(callsOf(parts)), [{ name: "read_file", params: { path: "a.txt" } }])
      }))
  ]
}

type Parts = ReadonlyArray<Part | Remarks>
type Parse = (format: ToolFormat, chunks: ReadonlyArray<Chunk>) => Effect.Effect<Parts>
