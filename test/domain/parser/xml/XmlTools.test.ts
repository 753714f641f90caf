import { assert, describe, it } from "@effect/vitest"
import type { Part, ToolCallPart } from "../../../../src/domain/message/Part.ts"
import { run } from "../../../../src/domain/parser/Incremental.ts"
import * as XmlTools from "../../../../src/domain/parser/xml/XmlTools.ts"
import { pieces } from "../pieces.ts"

const options: XmlTools.Options = {
  tools: [
    { name: "read_file", params: [{ name: "path" }, { name: "limit" }] },
    { name: "write_file", params: [{ name: "path" }, { name: "content", raw: true }, { name: "mode" }] },
    { name: "edit", params: [{ name: "old_text", raw: true }, { name: "new_text", raw: true }] }
  ]
}

const text = (text: string): Part => ({ _tag: "Text", text })
const reasoning = (text: string): Part => ({ _tag: "Reasoning", text })

/** Calls get their ids in the order in which they are made within one test. */
const numbered = (parts: ReadonlyArray<Part>): ReadonlyArray<Part> => {
  let calls = 0
  return parts.map((part) => part._tag === "ToolCall" ? { ...part, id: `call_${calls++}` } : part)
}

const call = (
  name: string,
  params: Record<string, string>,
  more: Partial<ToolCallPart> = {}
): Part => ({ _tag: "ToolCall", id: "", name, params, partial: false, warnings: [], ...more })

const partial = { partial: true }
const missingClose = { malformed: "its closing tag is missing" }

/** The parts of a text, whichever way it is cut. */
const check = (input: string, expected: ReadonlyArray<Part>, more: Partial<XmlTools.Options> = {}): void => {
  const all = { ...options, ...more }
  assert.deepStrictEqual(XmlTools.parse(input, all), numbered(expected))
  for (const length of [1, 2, 3, 7]) {
    assert.deepStrictEqual(XmlTools.collect(run(XmlTools, all, pieces(input, [length]))), numbered(expected))
  }
  for (let cut = 1; cut < input.length; cut++) {
    const parts = run(XmlTools, all, [input.slice(0, cut), input.slice(cut)])
    assert.deepStrictEqual(XmlTools.collect(parts), numbered(expected))
  }
}

type Row = readonly [
  rule: string,
  input: string,
  expected: ReadonlyArray<Part>,
  more?: Partial<XmlTools.Options>
]

const table = (title: string, rows: ReadonlyArray<Row>): void => {
  describe(title, () => {
    for (const [rule, input, expected, more] of rows) it(rule, () => check(input, expected, more))
  })
}

const read = "<read_file><path>a.ts</path></read_file>"
const reading = call("read_file", { path: "a.ts" })

table("forms", [
  ["the tool's own tags", read, [reading]],
  ["several parameters", "<read_file><path>a</path><limit>5</limit></read_file>", [
    call("read_file", { path: "a", limit: "5" })
  ]],
  ["no parameters", "<read_file></read_file>", [call("read_file", {})]],
  [
    "invoke in function_calls",
    "<function_calls>\n<invoke name=\"read_file\">\n<parameter name=\"path\">a.ts</parameter>\n</invoke>\n</function_calls>",
    [reading]
  ],
  [
    "invoke in tool_call",
    "<tool_call><invoke name=\"read_file\"><parameter name=\"path\">a.ts</parameter></invoke></tool_call>",
    [reading]
  ],
  [
    "invoke in function_calls in tool_call",
    "<tool_call>\n<function_calls><invoke name=\"read_file\"><parameter name=\"path\">a.ts</parameter></invoke></function_calls></tool_call>",
    [reading]
  ],
  ["invoke bare", "<invoke name=\"read_file\"><parameter name=\"path\">a.ts</parameter></invoke>", [reading]],
  ["two invokes in one block", `<function_calls>${
    "<invoke name=\"read_file\"><parameter name=\"path\">a.ts</parameter></invoke>\n".repeat(2)
  }</function_calls>`, [reading, reading]],
  ["forms freely mixed", `${read}<invoke name="read_file"><parameter name="path">a.ts</parameter></invoke>${read}`, [
    reading,
    reading,
    reading
  ]],
  ["an unknown invoke is a call, so that the model is told", "<invoke name=\"fly\"><parameter name=\"to\"> moon </parameter></invoke>", [
    call("fly", { to: "moon" })
  ]],
  ["an undeclared parameter of an invoke is kept", "<invoke name=\"read_file\"><parameter name=\"file\">a</parameter></invoke>", [
    call("read_file", { file: "a" })
  ]],
  ["white space before the > of tags", "<read_file ><path\n>a.ts</path\t></read_file >", [reading]],
  ["__proto__ is a name like any other", "<invoke name=\"x\"><parameter name=\"__proto__\">p</parameter></invoke>", [
    call("x", Object.fromEntries([["__proto__", "p"]]))
  ]]
])

table("names", [
  ["a tool may be called think", "<think><path>a</path></think>", [call("think", { path: "a" })], {
    tools: [{ name: "think", params: [{ name: "path" }] }]
  }],
  ["a parameter may have its tool's name", "<a><a>x</a></a>", [call("a", { a: "x" })], {
    tools: [{ name: "a", params: [{ name: "a" }] }]
  }],
  ["one name may begin another", "<read>\n</read><read_file></read_file>", [call("read", {}), call("read_file", {})], {
    tools: [{ name: "read", params: [] }, { name: "read_file", params: [] }]
  }]
])

table("what is text", [
  ["unknown tags", "<b>bold</b> and <write>", [text("<b>bold</b> and <write>")]],
  ["attributes on a tool tag", "<read_file path=\"a\">", [text("<read_file path=\"a\">")]],
  ["another case", "<Read_File><path>a</path></Read_File>", [text("<Read_File><path>a</path></Read_File>")]],
  ["self-closing forms", "<read_file/> <read_file />", [text("<read_file/> <read_file />")]],
  ["a tag with another < directly before it", "<<read_file>>", [text("<<read_file>>")]],
  ["a space behind the <", "< read_file>", [text("< read_file>")]],
  ["x < limit in prose", "if x < limit && y << 2 then <=", [text("if x < limit && y << 2 then <=")]],
  ["a lone < at the end", "a <", [text("a <")]],
  ["closes that nothing opened", "</read_file></function_calls></thinking></tool_call>", [
    text("</read_file></function_calls></thinking></tool_call>")
  ]],
  ["a block that holds no call", "The <function_calls> tag and <tool_call>{\"name\":1}</tool_call>.", [
    text("The <function_calls> tag and <tool_call>{\"name\":1}</tool_call>.")
  ]],
  ["a parameter's tag outside of its tool", "<path>a</path>", [text("<path>a</path>")]]
])

table("code spans and fences", [
  ["a tag in a code span", "Use `<read_file>` here", [text("Use `<read_file>` here")]],
  ["a span of two backticks holds one", "``a`<read_file>`` b", [text("``a`<read_file>`` b")]],
  ["a span ends with the same run", `\`x\` ${read}`, [text("`x`"), reading]],
  ["a span ends with its line", `an odd \` here\n${read}`, [text("an odd ` here"), reading]],
  ["a fence of something else is text", "```ts\nconst a = 1\n<read_file>\n```", [
    text("```ts\nconst a = 1\n<read_file>\n```")
  ]],
  ["a fence of tildes too", "~~~\nx\n<read_file>\n~~~", [text("~~~\nx\n<read_file>\n~~~")]],
  ["tags count again behind a fence", `\`\`\`\nx\n\`\`\`\n${read}`, [text("```\nx\n```"), reading]],
  ["a shorter run or a line with more on it does not end a fence", "````\nx\n```\n```` a\n<read_file>\n````", [
    text("````\nx\n```\n```` a\n<read_file>\n````")
  ]],
  ["a longer run does, indented or followed by white space", `\`\`\`\nx\n  \`\`\`\`  \n${read}`, [
    text("```\nx\n  ````"),
    reading
  ]],
  ["a fence in a block quote is text", `> \`\`\`xml\n> ${read}\n> \`\`\`\n${read}`, [text(`> \`\`\`xml\n> ${read}\n> \`\`\``), reading]],
  ["a fence in a quote of a quote too", `> >\`\`\`\n> > ${read}\n> > \`\`\`\n${read}`, [text(`> >\`\`\`\n> > ${read}\n> > \`\`\``), reading]],
  ["a fence ends with the block quote around it", `> ~~~\n> x\n\n${read}`, [text("> ~~~\n> x"), reading]],
  ["a fence in a block quote ends where a line is not quoted", `> \`\`\`\n> x\ny ${read}`, [text("> ```\n> x\ny"), reading]],
  ["a fence in an item of a list is text", `1. \`\`\`ts\n   x ${read}\n   \`\`\`\n${read}`, [text(`1. \`\`\`ts\n   x ${read}\n   \`\`\``), reading]],
  ["an unclosed fence is text to the end", "```\nx\n<read_file>", [text("```\nx\n<read_file>")]],
  ["a fence whose first content is a call is a wrapper", `Here:\n\`\`\`xml\n${read}\n\`\`\`\nDone.`, [
    text("Here:"),
    reading,
    text("Done.")
  ]],
  ["a wrapper of several calls", `\`\`\`\n${read}\n${read}\n\`\`\``, [reading, reading]],
  ["a wrapper of a block", `~~~xml\n<function_calls>\n<invoke name="read_file"><parameter name="path">a.ts</parameter></invoke>\n</function_calls>\n~~~`, [
    reading
  ]],
  ["a wrapper that is closed on the line of the call", `\`\`\`\n${read}\`\`\`\nok`, [reading, text("ok")]],
  ["fences: text turns wrappers off", `\`\`\`xml\n${read}\n\`\`\``, [text(`\`\`\`xml\n${read}\n\`\`\``)], { fences: "text" }],
  ["a tag on a fence's own line", `\`\`\`${read}\nx\n\`\`\``, [text(`\`\`\`${read}\nx\n\`\`\``)]],
  ["a reasoning tag inside a fence", "```\n<thinking>\n```\nx", [text("```\n<thinking>\n```\nx")]],
  ["a reasoning tag inside a wrapper", `\`\`\`\n${read}\n<think>a</think>\n\`\`\``, [reading, text("<think>a</think>\n")]],
  ["a fence whose first tag is cut off", "```\n<read_fi", [text("```\n<read_fi")]],
  ["a fence with nothing in it", "```\n\n```\nx", [text("```\n\n```\nx")]],
  ["backticks on a fence's line make a span", `\`\`\`a\`\`\` ${read}`, [text("```a```"), reading]],
  ["a fence within a line is a span", `say \`\`\`\n${read}`, [text("say ```"), reading]]
])

table("reasoning", [
  ["thinking and think", "<thinking>a</thinking><think>b</think>c", [reasoning("ab"), text("c")]],
  ["no tool is taken from inside", `<thinking>maybe ${read}</thinking>${read}`, [reasoning(`maybe ${read}`), reading]],
  ["only its own close counts", "<think>a</thinking>b</think>", [reasoning("a</thinking>b")]],
  ["it is kept as written", "<think>\n a \n</think>\n\nHi", [reasoning("\n a \n"), text("\n\nHi")]],
  ["it stands within text", "a <think>b</think> c", [text("a "), reasoning("b"), text(" c")]],
  ["an empty one is none", "a<think></think>b", [text("ab")]],
  ["unclosed", "<think>a <b", [reasoning("a <b")]],
  ["its close cut off", "<thinking>a</thin", [reasoning("a")]]
])

table("white space", [
  ["text is kept as written", "  a\n\n b \n", [text("  a\n\n b \n")]],
  ["it is trimmed beside a call", ` a \n\n${read}\n\n b `, [text(" a"), reading, text("b ")]],
  ["text that is only white space is dropped", `\n ${read} \n ${read}\n`, [reading, reading]],
  ["a message of white space", " \n\t\r\n", []],
  ["other spaces are white space too", `a\u00a0${read}\u2003b`, [text("a"), reading, text("b")]]
])

table("values", [
  ["tool-like and tag-like text in a parameter is data", "<read_file><path><b>x</b></read_file><edit></path></read_file>", [
    call("read_file", { path: "<b>x</b></read_file><edit>" })
  ]],
  ["other parameters are trimmed", "<read_file><path>\n a b \r\n</path></read_file>", [call("read_file", { path: "a b" })]],
  ["entities are never decoded", "<read_file><path>a&lt;b&amp;</path></read_file>", [call("read_file", { path: "a&lt;b&amp;" })]],
  ["a value that ends in <", "<read_file><path>a<</path></read_file>", [call("read_file", { path: "a<" })]],
  ["raw: exactly one newline at either edge is lost", "<write_file><content>\n\n a \n\n</content></write_file>", [
    call("write_file", { content: "\n a \n" })
  ]],
  ["raw: CRLF is one newline", "<write_file><content>\r\na\r\n\r\n</content></write_file>", [
    call("write_file", { content: "a\r\n" })
  ]],
  ["raw: a lone carriage return is none", "<write_file><content>\ra\r</content></write_file>", [
    call("write_file", { content: "\ra\r" })
  ]],
  ["raw: a newline is nothing", "<write_file><content>\n</content></write_file>", [call("write_file", { content: "" })]],
  ["raw: spaces are kept", "<write_file><content>  </content></write_file>", [call("write_file", { content: "  " })]],
  ["raw: content that holds its own closing tag", "<write_file><content>a</content> b</content>\n</write_file>", [
    call("write_file", { content: "a</content> b" })
  ]],
  ["raw: closes one after another", "<write_file><content>a</content></content>\n</content></write_file>", [
    call("write_file", { content: "a</content></content>" })
  ]],
  ["raw: a close and a parameter not given yet", "<write_file><content>a</content>\n<mode>b</mode></write_file>", [
    call("write_file", { content: "a", mode: "b" })
  ]],
  ["raw: a close and a parameter given already is data", "<write_file><path>p</path><content>a</content><path>q</path></content></write_file>", [
    call("write_file", { path: "p", content: "a</content><path>q</path>" })
  ]],
  ["raw: a repeat of the parameter is data", "<write_file><content>a</content><content>b</content></write_file>", [
    call("write_file", { content: "a</content><content>b" })
  ]],
  ["raw: another tool's tag behind the close is data", "<edit><old_text>a</old_text><read_file></old_text><new_text>b</new_text></edit>", [
    call("edit", { old_text: "a</old_text><read_file>", new_text: "b" })
  ]],
  ["raw: a text that holds the end of its own call ends it", "<write_file><content>a</content></write_file></content></write_file>", [
    call("write_file", { content: "a" }),
    text("</content></write_file>")
  ]],
  [
    "raw in the invoke form",
    "<invoke name=\"write_file\"><parameter name=\"content\">\na</parameter> b</parameter>\n<parameter name=\"path\">p</parameter></invoke>",
    [call("write_file", { content: "a</parameter> b", path: "p" })]
  ],
  [
    "raw in the invoke form: an undeclared parameter does not follow",
    "<invoke name=\"write_file\"><parameter name=\"content\">a</parameter><parameter name=\"x\"></parameter></invoke>",
    [call("write_file", { content: "a</parameter><parameter name=\"x\">" })]
  ]
])

table("what is wrong in a call", [
  ["a repeated parameter: the last wins", "<read_file><path>a</path><path>b</path></read_file>", [
    call("read_file", { path: "b" }, { warnings: ["Parameter \"path\" was given twice: the last one counts"] })
  ]],
  ["text between parameters is kept as a warning", "<read_file>\nthe <b>file\n<path>a</path> ok </read_file>", [
    call("read_file", { path: "a" }, {
      warnings: ["Text between parameters: the <b>file", "Text between parameters: ok"]
    })
  ]],
  ["two tools without a close: nothing is merged", `<write_file><path>a</path>${read}`, [
    call("write_file", { path: "a" }, missingClose),
    reading
  ]],
  ["a block opened inside a tool", "<read_file><path>a</path><function_calls><invoke name=\"x\"></invoke></function_calls>", [
    call("read_file", { path: "a" }, missingClose),
    call("x", {})
  ]],
  ["</function_calls> ends an unclosed invoke", "<function_calls><invoke name=\"x\"><parameter name=\"a\">1</parameter></function_calls>ok", [
    call("x", { a: "1" }, missingClose),
    text("ok")
  ]],
  ["</function_calls> without its open is text in an invoke", "<invoke name=\"x\"></function_calls></invoke>", [
    call("x", {}, { warnings: ["Text between parameters: </function_calls>"] })
  ]],
  ["a doubled < inside a call", "<read_file><<path>a</read_file>", [
    call("read_file", {}, { warnings: ["Text between parameters: <<path>a"] })
  ]]
])

table("the end of the stream", [
  ["in a tool", "<read_file>", [call("read_file", {}, partial)]],
  ["in a parameter", "<read_file><path>a", [call("read_file", { path: "a" }, partial)]],
  ["in an empty parameter", "<read_file><path>", [call("read_file", { path: "" }, partial)]],
  ["in the close of a parameter", "<read_file><path>a</pa", [call("read_file", { path: "a" }, partial)]],
  ["at the < of the close of a parameter", "<read_file><path>a<", [call("read_file", { path: "a" }, partial)]],
  ["in another close", "<read_file><path>a</b", [call("read_file", { path: "a</b" }, partial)]],
  ["in the close of a tool", "<read_file><path>a</path></rea", [call("read_file", { path: "a" }, partial)]],
  ["behind a raw close", "<write_file><content>a\n</content> \n", [call("write_file", { content: "a" }, partial)]],
  ["in what follows a raw close", "<write_file><content>a</content>\n</wri", [call("write_file", { content: "a" }, partial)]],
  ["in a parameter behind a raw close", "<write_file><content>a</content>\n<pa", [
    call("write_file", { content: "a" }, partial)
  ]],
  ["in a second raw close", "<write_file><content>a</content></con", [call("write_file", { content: "a</content>" }, partial)]],
  ["in a tool's tag", "a <rea", [text("a"), call("read_file", {}, partial)]],
  ["behind a tool's name", "<edit ", [call("edit", {}, partial)]],
  ["in a tag of two tools", "<read", [call("", {}, partial)], {
    tools: [{ name: "read_file", params: [] }, { name: "read_dir", params: [] }]
  }],
  ["in an invoke", "<invoke na", [call("", {}, partial)]],
  ["in the name of an invoke", "<invoke name=\"wri", [call("write_file", {}, partial)]],
  ["behind the name of an invoke", "<invoke name=\"fly\"", [call("fly", {}, partial)]],
  ["in a tag that can be no call", "a <reb", [text("a <reb")]],
  ["in a reasoning tag", "a <thin", [text("a ")]],
  ["in <function_calls>", "a <functio", [text("a ")]],
  ["behind <function_calls>", "a <function_calls>\n", [text("a ")]],
  ["in </function_calls>", `<function_calls>${read}</func`, [reading]],
  ["in </function_calls> that nothing opened", "a </func", [text("a </func")]]
])

describe("what a screen is told", () => {
  const input = "Hi <write_file><path>a</path><content>one\ntwo\n</content></write_file>"

  it("what a parameter was told to have grown by is its value", () => {
    for (const length of [1, 2, 5, 1000]) {
      const told: Record<string, string> = {}
      for (const part of run(XmlTools, options, pieces(input, [length]))) {
        if (part._tag !== "ToolCall" || part.appended === undefined) continue
        const { param, text } = part.appended
        told[param] = (told[param] ?? "") + text
        assert.strictEqual(part.partial, true)
        assert.strictEqual(part.params[param], told[param])
      }
      assert.deepStrictEqual(told, { path: "a", content: "one\ntwo" })
    }
  })

  it("a state that was given stays as it was", () => {
    const [state, parts] = XmlTools.push(XmlTools.initial(options), "<read_file>x<path>ab")
    XmlTools.push(state, "c</path>y<limit>1</limit></read_file>")
    const warnings = ["Text between parameters: x"]
    const appended = { param: "path", text: "ab" }
    assert.deepStrictEqual(parts, numbered([call("read_file", { path: "ab" }, { partial: true, warnings, appended })]))
  })

  it("a state of many parameters stays as it was too", () => {
    const names = Array.from({ length: 20 }, (_, i) => `p${i}`)
    const given = names.map((name) => `<parameter name="${name}">v</parameter>`).join("")
    const [state, parts] = XmlTools.push(XmlTools.initial(options), `<invoke name="x">${given}<parameter name="q">a`)
    const [next] = XmlTools.push(state, "b</parameter><parameter name=\"r\">c</parameter></invoke>")
    const params = { ...Object.fromEntries(names.map((name) => [name, "v"])), q: "a" }
    const appended = { param: "q", text: "a" }
    assert.deepStrictEqual(parts.slice(-1), numbered([call("x", params, { partial: true, appended })]))
    assert.deepStrictEqual(XmlTools.end(next), [])
  })

  it("nothing is told where nothing is new", () => {
    let state = XmlTools.initial(options)
    const told = pieces("<read_file><path>a</path>", [1]).map((piece) => {
      const [next, parts] = XmlTools.push(state, piece)
      state = next
      return parts.length
    })
    assert.deepStrictEqual(told.map((count, i) => count === 0 ? -1 : i).filter((i) => i >= 0), [10, 16, 17])
  })

  it("says which cut-off tags of no call were dropped", () => {
    const [state] = XmlTools.push(XmlTools.initial(options), "a <thin")
    XmlTools.end(state)
    assert.deepStrictEqual(XmlTools.warnings(state), ["Cut-off tag dropped: <thin"])
  })
})

describe("near misses", () => {
  const { tools } = options
  it.each([
    "I call <<read_file>> now",
    "< read_file><path>a</path>",
    "<READ_FILE>",
    "<read_file path=\"a\">",
    "<read_file/>",
    "`<<read_file` and ```b``` are code, < read_file> is not",
    "```\ncode\n```\n<READ_FILE>"
  ])("%s", (text) => {
    assert.include(XmlTools.nearMiss(text, tools)!, "<read_file>")
    assert.deepStrictEqual(XmlTools.parse(text, options).map((part) => part._tag), ["Text"])
  })

  it.each(["no call at all", "x < limit > y", "`<read_file>`", "<b>", "so `<<read_file>>` is", "```tsx\n<Read_File />\n```\nas above", "```\n<<read_file>>"])("%s is not one", (text) => {
    assert.strictEqual(XmlTools.nearMiss(text, tools), undefined)
  })

  it("an unknown tool is answered with the tools that were offered, the nearest first", () => {
    const text = "Done soon.\n<file_write>\n<path>a</path>\n</file_write>"
    const message = XmlTools.nearMiss(text, [...tools, { name: "alias", params: [] }], ["read_file", "edit", "write_file"])!
    assert.include(message, "there is no tool \"file_write\". Available tools: write_file, read_file, edit.")
    assert.include(message, "a call starts with exactly <write_file>")
  })

  it.each([
    ["on lines of its own", "<new_rule>\nUse tabs.\n</new_rule>"],
    ["with parameters that no tool has", "I look.\n\n<web_search>\n<query>cats</query>\n</web_search>\n"],
    ["at the end of a sentence, with a parameter that no tool has", "I look: <web_search><query>cats</query></web_search>"],
    ["without its closing tag, with a parameter that no tool has", "<web_search>\n<query>cats</query>"],
    ["a search, with a parameter", "<search>\n<path>a</path>\n</search>"],
    ["in single quotes", "<invoke name='fly'>\n<parameter name='to'>moon</parameter>\n</invoke>"],
    ["as a function with an equals sign", "<function=fly>\n<parameter=to>moon</parameter>\n</function>"],
    ["at the end of a sentence, with a parameter", "I look: <web_fetch><path>a</path></web_fetch>"],
    ["of one word, with a parameter", "<fetch><path>a</path></fetch>"],
    ["in another case", "<Web_Search>cats</Web_Search>"],
    ["without its closing tag", "<web_fetch>\n<path>a</path>\n"],
    ["with attributes", "<web_search query=\"cats\">\n</web_search>"],
    ["self-closing", "<web_search query=\"cats\"/>"],
    ["a block that contains no call", "<tool_call>\n{\"name\": \"read_file\"}\n</tool_call>"],
    ["after code", "```\ncode\n```\n<new_rule>a</new_rule>"]
  ])("the call of an unknown tool: %s", (_, text) => {
    assert.include(XmlTools.nearMiss(text, tools)!, "there is no tool")
    assert.deepStrictEqual(XmlTools.parse(text, options).map((part) => part._tag), ["Text"])
  })

  it("a call in another form is answered with the form", () => {
    assert.include(XmlTools.nearMiss("<function=read_file>\n<parameter=file>a</parameter>\n</function>", tools)!, "looks like one but is invalid: a call starts with exactly <read_file>")
  })

  it.each([
    ["HTML", "<details>\n<summary>More</summary>\nText\n</details>"],
    ["HTML that contains the name of a parameter", "<figure>\n<path>M0 0</path>\n</figure>"],
    ["a <div> in a sentence", "A <div> contains blocks, a <span>text</span> does not. Close it with </div>."],
    ["a table", "<table>\n<tr><td>a_b</td></tr>\n</table>"],
    ["a custom element", "<my-element>\n<path>a</path>\n</my-elements>"],
    ["a component", "<SearchBox>\n  <Button>Go</Button>\n</SearchBox>"],
    ["a placeholder", "Set <your_name> and\n<api_key>\nin the file."],
    ["a tag in a sentence", "The field <user_id>42</user_id> is a number."],
    ["a tag that starts a sentence", "<user_id>42</user_id> is a number."],
    ["an element of another format", "<dependency>\n<version>1</version>\n</dependency>"],
    ["a type", "Use Map<user_id, Array<row_type>> here."],
    ["a line break", "one<br/>\n<br />\ntwo"],
    ["a comment or declaration", "<!-- new_rule -->\n<?xml version=\"1.0\"?>"],
    ["an address", "<https://example.com/a_b>\n<ann@example.com>"],
    ["code", "```xml\n<web_search><query>a</query></web_search>\n```"],
    ["code without its end", "~~~\n<web_search>\n<query>a</query>\n</web_search>"],
    ["a code span", "`<new_rule>a</new_rule>`"],
    ["indented code", "Write:\n\n    <new_rule>a</new_rule>"],
    ["a block quote", "> <web_search>\n> <path>a</path>\n> </web_search>"],
    ["a quoted tag", "It wrote \"<web_search><path>a</path></web_search>\" instead."],
    ["a quoted invoke", "It wrote \"<invoke name='fly'>\" instead."],
    ["comparison", "a < b_c and d > e"]
  ])("no call: %s", (_, text) => {
    assert.strictEqual(XmlTools.nearMiss(text, tools), undefined)
  })
})
