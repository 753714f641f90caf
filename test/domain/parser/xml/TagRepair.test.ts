/** Slips of models that write calls as XML: what is repaired, and what stays for the model to correct. */
import { describe, expect, it } from "@effect/vitest"
import type { ToolCallPart } from "../../../../src/domain/message/Part.ts"
import * as XmlTools from "../../../../src/domain/parser/xml/XmlTools.ts"

const tools: ReadonlyArray<XmlTools.Tool> = [
  { name: "read_file", params: [{ name: "path", required: true }, { name: "start_line" }] },
  { name: "write_file", params: [{ name: "path", required: true }, { name: "content", raw: true, required: true }] },
  { name: "list_files", params: [{ name: "path", required: true }, { name: "recursive" }] }
]

/** The complete calls of a response, with the warnings that name a repair. */
const calls = (text: string, { isCut = false } = {}) => {
  const parts = XmlTools.parse(text, { tools })
  const parsed = parts.filter((part) => part._tag === "ToolCall")
  const prose = parts.flatMap((part) => part._tag === "Text" ? [part.text] : []).join("")
  const repaired = XmlTools.repairs({ calls: parsed, text: parsed.length === 0 ? prose : "", tools, received: isCut ? undefined : text })
  const last = new Map([...parsed, ...repaired].map((call): [string, ToolCallPart] => [call.id, call]))
  return [...last.values()].filter(({ malformed, partial }) => !partial && malformed === undefined)
    .map(({ name, params, warnings }) => ({ name, params, repairs: warnings.filter((one) => one.startsWith("Repaired: ")).map((one) => one.slice(10)) }))
}

const read = (...repairs: ReadonlyArray<string>) => [{ name: "read_file", params: { path: "a.txt" }, repairs }]

describe("repairs", () => {
  const repaired: ReadonlyArray<readonly [string, string, ReadonlyArray<object>]> = [
    ["another case", "<Read_File>\n<Path>a.txt</Path>\n</Read_File>", read("<Read_File> is read_file; <Path> is path")],
    ["a parameter in another case", "<read_file><PATH>a.txt</PATH></read_file>", read("<PATH> is path")],
    ["a closing tag missing at the end", "I look.\n<read_file>\n<path>a.txt</path>\n", read("the closing tag of read_file was missing at the end")],
    ["an invoke's closing tag missing", "<invoke name=\"read_file\"><parameter name=\"path\">a.txt</parameter>", read("the closing tag of read_file was missing at the end")],
    ["a parameter's closing tag missing", "<read_file><path>a.txt</read_file>", read("the closing tag of path was missing")],
    ["attributes", "<read_file path=\"a.txt\"/>", read("path was an attribute")],
    ["attributes of a tag with a close", "Look:\n\n<read_file path='a.txt'></read_file>\n", read("path was an attribute")],
    ["attributes of a tag without a close", "<read_file path=\"a.txt\">\n", read("path was an attribute; the closing tag of read_file was missing at the end")],
    ["children in an invoke", "<invoke name=\"read_file\"><path>a.txt</path></invoke>", read("its parameters were in the form of a tool's own tags")],
    ["an invoke's parameters in a tool", "<read_file><parameter name=\"path\">a.txt</parameter></read_file>", read("path was in the form of an invoke")],
    ["an invoke in another case", "<Invoke name=\"Read_File\">\n<Parameter name=\"path\">a.txt</Parameter>\n</Invoke>", read("<Invoke name=\"Read_File\"> is an invoke; <Read_File> is read_file")],
    ["an invoke in single quotes", "<invoke name='read_file'>\n<parameter name='path'>a.txt</parameter>\n</invoke>", read("<invoke name='read_file'> is an invoke")],
    ["a function with an equals sign", "<function=read_file>\n<parameter=path>\na.txt\n</parameter>\n</function>", read("<function=read_file> is an invoke")],
    ["such a function in a wrapper", "<tool_call>\n<function=read_file>\n<parameter=path>a.txt</parameter>\n</function>\n</tool_call>", read("<function=read_file> is an invoke")],
    ["the content of a file as it is", "<Write_File>\n<path>a.html</path>\n<content>\n  <p>x</p>\n</content>\n</Write_File>", [{ name: "write_file", params: { path: "a.html", content: "  <p>x</p>" }, repairs: ["<Write_File> is write_file"] }]],
    ["several calls", "<read_file path=\"a.txt\"/>\n<List_Files><path>.</path></List_Files>", [...read("path was an attribute"), { name: "list_files", params: { path: "." }, repairs: ["<List_Files> is list_files"] }]]
  ]
  it.each(repaired)("%s", (_, text, expected) => expect(calls(text)).toEqual(expected))

  const uncertain: ReadonlyArray<readonly [string, string, { readonly isCut?: boolean }]> = [
    ["a response that was cut off", "<read_file>\n<path>a.txt</path>\n", { isCut: true }],
    ["attributes in a response that was cut off", "<read_file path=\"a.txt\">", { isCut: true }],
    ["a value that was cut off", "<read_file>\n<path>a.tx", {}],
    ["a file's content without its end", "<write_file><path>a</path><content>x</write_file>", {}],
    ["content that ends with a tag of the other form", "<write_file><path>a</path><content><parameter>x</parameter>", {}],
    ["a missing parameter", "<Write_File><path>a</path></Write_File>", {}],
    ["an unknown attribute", "<read_file file=\"a.txt\"/>", {}],
    ["an attribute that may need decoding", "<read_file path=\"a&amp;b\"/>", {}],
    ["content in an attribute", "<write_file path=\"a\" content=\"x\"/>", {}],
    ["a tag within a sentence", "Use <read_file path=\"a.txt\"/> for that.", {}],
    ["a function with an unknown parameter", "<function=read_file>\n<parameter=file>a.txt</parameter>\n</function>", {}],
    ["a function that was cut off", "<function=read_file>\n<parameter=path>a.txt</parameter>\n", { isCut: true }],
    ["a tag in code", "```xml\n<read_file path=\"a.txt\"/>\n```\nand `<Read_File>`", {}],
    ["a quoted tag", "> <read_file path=\"a.txt\"/>", {}],
    ["other text inside", "<Read_File>the file<path>a.txt</path></Read_File>", {}],
    ["a parameter twice", "<read_file path=\"a.txt\"><path>b.txt</path></read_file>", {}],
    ["one of several that is uncertain", "<read_file path=\"a.txt\"/>\n<read_file name=\"b.txt\"/>", {}]
  ]
  it.each(uncertain)("leave %s alone", (_, text, options) => expect(calls(text, options).filter(({ params }) => Object.keys(params).length > 0 && params["path"] !== undefined)).toEqual([]))

  it("take linear time", () => {
    expect(calls("<Read_File ".repeat(20_000))).toEqual([])
    expect(calls("<Read_File>\n".repeat(20_000))).toEqual([])
    expect(calls("<read_file path=\"a\"/>\n".repeat(20_000)).length).toBe(20_000)
  })
})
