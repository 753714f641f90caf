/** Models that write their calls as XML and get them wrong: `dacapo -p` with a scripted model. */
import { describe, expect, it } from "@effect/vitest"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Process from "../cli/support/Process.ts"

const read = "<read_file>\n<path>a.txt</path>\n</read_file>"
const unknown = "I search first.\n\n<web_search>\n<query>cats</query>\n</web_search>"

/** The task in XML, and what it printed. */
const run = async (place: Process.Place, ...turns: ReadonlyArray<object>) => {
  writeFileSync(join(place.cwd, "a.txt"), "seven\n")
  const model = place.script(...turns)
  const { code, stdout } = await Process.run(place, ["-p", "--model", model, "--tool-format", "xml", "--output-format", "json", "What is in a.txt?"])
  return { code, ...JSON.parse(stdout) as { readonly subtype: string; readonly result: string; readonly num_turns: number } }
}

describe("calls written as XML", () => {
  it("the call of an unknown tool does not end the task: the model is told which tools there are", async () => {
    await using place = Process.scene()
    const ended = await run(
      place,
      { xml: unknown },
      { xml: read, expect: { contains: ["there is no tool \"web_search\". Available tools: search_files, "] } },
      { text: "It contains seven.", expect: { lastResult: "seven" } }
    )
    expect(ended).toMatchObject({ code: 0, subtype: "success", num_turns: 3, result: "It contains seven." })
  })

  it("such calls count as mistakes, which end the task", async () => {
    await using place = Process.scene()
    const ended = await run(place, { xml: unknown }, { xml: "<new_rule>\nUse tabs.\n</new_rule>" }, { xml: unknown })
    expect(ended).toMatchObject({ code: 53, num_turns: 3, result: "3 responses in a row had no successful tool call. Continue the session with other instructions, or use another model (--model)." })
  })

  it("an answer about HTML is an answer", async () => {
    await using place = Process.scene()
    const answer = "A <details> hides what follows its summary:\n\n<details>\n<summary>More</summary>\nText\n</details>"
    expect(await run(place, { xml: answer })).toMatchObject({ code: 0, subtype: "success", num_turns: 1, result: answer })
  })
})

describe("a call in code or in quotes", () => {
  const call = "<web_search>\n<query>cats</query>\n</web_search>"
  const answers = {
    "a code block": `Like this:\n\n\`\`\`xml\n${call}\n\`\`\`\nNot more.`,
    "code within a line": `Use \`${call.replaceAll("\n", "")}\` for it.`,
    "a block quote": `He wrote:\n\n${call.replace(/^/gm, "> ")}\n\nNot more.`,
    "quotation marks": `He wrote "${call.replaceAll("\n", "")}" here.`
  }
  it.each(Object.entries(answers))("%s is part of an answer", async (_, xml) => {
    await using place = Process.scene()
    expect(await run(place, { xml })).toMatchObject({ code: 0, subtype: "success", num_turns: 1, result: xml })
  })
})

describe("slips in calls written as XML", () => {
  const slips = {
    "another case": "<Read_File>\n<Path>a.txt</Path>\n</Read_File>",
    "attributes instead of children": "I read it.\n\n<read_file path=\"a.txt\"/>",
    "a function of another form": "<tool_call>\n<function=read_file>\n<parameter=path>\na.txt\n</parameter>\n</function>\n</tool_call>",
    "an invoke in other quotes": "<invoke name='read_file'>\n<parameter name='path'>a.txt</parameter>\n</invoke>",
    "a missing closing tag at the end": "<read_file>\n<path>a.txt</path>",
    "a call in another form's wrapper": "<function_calls>\n<invoke name=\"read_file\">\n<path>a.txt</path>\n</invoke>\n</function_calls>"
  }
  it.each(Object.entries(slips))("%s: the call runs, and the log has a warning", async (_, xml) => {
    await using place = Process.scene()
    expect(await run(place, { xml }, { text: "It contains seven.", expect: { lastResult: "seven" } })).toMatchObject({ code: 0, num_turns: 2, result: "It contains seven." })
    const { stdout } = await Process.run(place, ["sessions", "show", "latest", "--output-format", "events"])
    expect(stdout).toMatch(/"warnings":\["[^\]]*Repaired: /)
  })

  it("stay mistakes where a response was cut off", async () => {
    await using place = Process.scene()
    const ended = await run(place, { xml: "<read_file>\n<path>a.txt</path>", stop: "length" }, { text: "Sorry." })
    expect(ended).toMatchObject({ code: 0, num_turns: 2, result: "Sorry." })
  })
})
