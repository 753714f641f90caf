import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Part } from "../../../src/domain/message/Part.ts"
import { run } from "../../../src/domain/parser/Incremental.ts"
import * as Thinking from "../../../src/domain/parser/Thinking.ts"
import * as XmlTools from "../../../src/domain/parser/xml/XmlTools.ts"
import { lengths, pieces, textOf } from "./pieces.ts"

const tools = [
  { name: "read_file", params: [{ name: "path" }] },
  { name: "write", params: [{ name: "path" }, { name: "content", raw: true }] }
]

const fragments = [
  ..."<>/`~\n\t \r\"a😀",
  "</", "``", "```", "> ", "\n> ```\n", "- ", "~~~", "```xml\n", "\n```\n", "\r\n", " word ", "<read_file", "name=\"",
  "<read_file>", "</read_file>", "<path>", "</path>", "<write>", "</write>", "<content>", "</content>",
  "<thinking>", "</thinking>", "<think>", "</think>",
  "<function_calls>", "</function_calls>", "<tool_call>", "</tool_call>",
  "<invoke name=\"write\">", "<invoke name=\"x\">", "</invoke>", "<parameter name=\"content\">",
  "<parameter name=\"path\">", "</parameter>"
]

const fences = Arbitrary.schema(Schema.Literals(["wrapper", "text"]))
const runs = (runs: number) => ({ arbitrary: { runs } })

describe("any text", () => {
  it.effect.prop("gives the same parts however it is cut", [textOf(fragments), lengths, fences], ([text, lengths, fences]) =>
    Effect.sync(() => {
      const options = { tools, fences }
      const whole = XmlTools.parse(text, options)
      assert.deepStrictEqual(XmlTools.collect(run(XmlTools, options, pieces(text, lengths))), whole)
      assert.deepStrictEqual(XmlTools.collect(run(XmlTools, options, pieces(text, [1]))), whole)
    }), runs(4000))

  it.effect.prop("is kept, but for tags, white space and what a warning names", [textOf(fragments), fences], ([text, fences]) =>
    Effect.sync(() => {
      const kept = letters(XmlTools.parse(text, { tools, fences }).map(shown).join(""))
      const said = letters(text.replaceAll(anyTag, ""))
      for (const [letter, count] of said) assert.isAtLeast(kept.get(letter) ?? 0, count, `lost ${letter} of ${text}`)
    }), runs(4000))

  it.effect.prop("is never taken back", [textOf(fragments), lengths], ([text, lengths]) =>
    Effect.sync(() => {
      let state = XmlTools.initial({ tools })
      const shown: Array<Part> = []
      for (const piece of pieces(text, lengths)) {
        const [next, parts] = XmlTools.push(state, piece)
        state = next
        shown.push(...parts)
      }
      const soFar = XmlTools.collect(shown)
      const whole = XmlTools.parse(text, { tools })
      soFar.forEach((part, i) => isPrefix(part, whole[i]!))
    }), runs(4000))

  it.effect.prop("says what each parameter grew by", [textOf(fragments), lengths], ([text, lengths]) =>
    Effect.sync(() => {
      const told = new Map<string, string>()
      for (const part of run(XmlTools, { tools }, pieces(text, lengths))) {
        if (part._tag !== "ToolCall" || part.appended === undefined) continue
        const { param, text } = part.appended
        const key = `${part.id} ${param}`
        told.set(key, (told.get(key) ?? "") + text)
        assert.isTrue(told.get(key)!.endsWith(part.params[param] as string))
      }
      for (const part of XmlTools.parse(text, { tools })) {
        if (part._tag !== "ToolCall") continue
        for (const [name, value] of Object.entries(part.params)) {
          assert.isTrue((told.get(`${part.id} ${name}`) ?? "").endsWith(value as string))
        }
      }
    }), runs(2000))

  it.effect.prop("is split into reasoning and text alone, where calls do not come in text", [textOf(fragments), lengths], ([text, lengths]) =>
    Effect.sync(() => {
      const whole = Thinking.parse(text)
      assert.isTrue(whole.every((part) => part._tag !== "ToolCall"))
      assert.deepStrictEqual(
        Thinking.collect(run({ ...Thinking, initial: Thinking.initial }, undefined, pieces(text, lengths))),
        whole
      )
    }), runs(2000))
})

describe("a written call", () => {
  const value = Arbitrary.schema(Schema.String)
  const escaped = /<\/?(content|parameter|write|invoke|path)/g

  it.effect.prop("is read back to the letter, in either form", [value, lengths], ([any, lengths]) =>
    Effect.sync(() => {
      const content = any.replaceAll(escaped, "")
      const call: Part = { _tag: "ToolCall", id: "call_0", name: "write", params: { path: "p", content }, partial: false, warnings: [] }
      for (
        const text of [
          `<write><path>p</path><content>\n${content}\n</content></write>`,
          `<function_calls><invoke name="write"><parameter name="path">p</parameter><parameter name="content">\n${content}\n</parameter></invoke></function_calls>`
        ]
      ) {
        const parts = XmlTools.collect(run(XmlTools, { tools }, pieces(text, lengths)))
        assert.deepStrictEqual(parts, [call])
      }
    }), runs(2000))
})

/** A piece of a message, as it is written and as it is read. */
type Segment = readonly [written: string, read: Part]

const words = ["Hello", " x < y ", "\n\n", " a & b;\n", "see `<read_file>`\n", "\n```ts\nlet a\n<write>\n```\n"]
const values = ["a.ts", "", " b\nc", "<b></content>", "</path >x", "`", "\r\nq\n", "<<write>", "😀"]

const call = (written: string, params: Record<string, string>): Segment => [
  written,
  { _tag: "ToolCall", id: "", name: "write", params, partial: false, warnings: [] }
]

const segment: Arbitrary.Arbitrary<Segment> = Arbitrary.map(
  Arbitrary.all([
    Arbitrary.schema(Schema.Literals(["words", "thought", "native", "invoked", "wrapped"])),
    Arbitrary.schema(Schema.Literals(words)),
    Arbitrary.schema(Schema.Literals(values)),
    Arbitrary.schema(Schema.Literals(values))
  ]),
  ([kind, text, value, content]): Segment => {
    const path = value.replaceAll("</path >", "").trim()
    const native = `<write>\n<path> ${path}\n</path><content>\n${content}\n</content>\n</write>`
    switch (kind) {
      case "words":
        return [text, { _tag: "Text", text }]
      case "thought":
        return [`<think>${text}${native}</think>`, { _tag: "Reasoning", text: text + native }]
      case "native":
        return call(native, { path, content })
      case "wrapped":
        return call(`\n\`\`\`\`xml\n${native}\n\`\`\`\`\n`, { path, content })
      case "invoked":
        return call(
          `<function_calls><invoke name="write"><parameter name="content">\n${content}\n</parameter>` +
            `<parameter name="path">${path}</parameter></invoke>\n</function_calls>`,
          { content, path }
        )
    }
  }
)

/** The rules of white space, told once more: kept, but trimmed beside a call, and dropped where there is nothing else. */
const expected = (segments: ReadonlyArray<Segment>): ReadonlyArray<Part> => {
  const parts = XmlTools.collect(segments.map(([, part], i) => part._tag === "ToolCall" ? { ...part, id: `call_${i}` } : part))
  let calls = 0
  return XmlTools.collect(parts.flatMap((part, i): ReadonlyArray<Part> => {
    if (part._tag === "ToolCall") return [{ ...part, id: `call_${calls++}` }]
    if (part._tag === "Reasoning") return [part]
    const start = parts[i - 1]?._tag === "ToolCall" ? part.text.trimStart() : part.text
    const text = parts[i + 1]?._tag === "ToolCall" ? start.trimEnd() : start
    return text.trim() === "" ? [] : [{ _tag: "Text", text }]
  }))
}

describe("a written message", () => {
  it.effect.prop("is read as its parts, at any cut", [Arbitrary.array(segment, { maxLength: 6 }), lengths], ([segments, lengths]) =>
    Effect.sync(() => {
      const text = segments.map(([written]) => written).join("")
      assert.deepStrictEqual(XmlTools.collect(run(XmlTools, { tools }, pieces(text, lengths))), expected(segments))
    }), runs(4000))
})

const anyTag = /<\/?\w*(\s+name="[^"<>\n`]*"?)?\s*>?|```\w*|~~~\w*/g

/** How often each letter that is no white space and no markup occurs. */
const letters = (text: string): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const letter of text) if (/[a😀]/u.test(letter)) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  return counts
}

const shown = (part: Part): string =>
  part._tag === "ToolCall" ? [...Object.values(part.params), ...part.warnings].join("") : part.text

const isPrefix = (part: Part, whole: Part): void => {
  assert.strictEqual(whole._tag, part._tag)
  if (part._tag !== "ToolCall") {
    assert.isTrue((whole as typeof part).text.startsWith(part.text))
  } else if (whole._tag === "ToolCall") {
    assert.deepStrictEqual([part.id, part.name], [whole.id, whole.name])
    const repeated = whole.warnings.some((warning) => warning.includes("twice"))
    for (const [name, value] of Object.entries(part.params)) {
      if (!repeated) assert.isTrue((whole.params[name] as string).startsWith(value as string))
    }
  }
}
