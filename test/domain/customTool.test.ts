import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as CustomTool from "../../src/domain/extension/CustomTool.ts"
import * as CustomToolFile from "../../src/domain/extension/CustomToolFile.ts"
import * as PluginManifest from "../../src/domain/extension/PluginManifest.ts"
import { analyse } from "../../src/domain/tool/CommandLine.ts"

const schema = { type: "object", properties: { path: { type: "string" }, "max-depth": { type: "integer" } }, required: ["path"] }
const file = (command: string) => JSON.stringify({ description: "Does it.", schema, command })
const tool = (command: string): CustomTool.CommandTool => Result.getOrThrow(CustomToolFile.parse("do_it.json", file(command)))
const why = (name: string, text: string) => Result.match(CustomToolFile.parse(name, text), { onFailure: (message) => message, onSuccess: () => "valid" })

describe("a tool without code", () => {
  it("is a Markdown file with a code block, or JSON", () => {
    const markdown = "---\ndescription: Counts lines.\ntimeout: 5\nschema:\n  properties:\n    path: { type: string }\n---\nText.\n\n```bash\nwc -l -- \"$ARG_PATH\"\n```\n"
    assert.deepStrictEqual(Result.getOrThrow(CustomToolFile.parse("count.md", markdown)), {
      name: "count",
      description: "Counts lines.",
      schema: { type: "object", additionalProperties: false, properties: { path: { type: "string" } } },
      run: { _tag: "Command", command: "wc -l -- \"$ARG_PATH\"", timeout: 5 }
    })
    assert.strictEqual(tool("wc \"$ARG_PATH\"").name, "do_it")
  })

  const invalid: ReadonlyArray<readonly [command: string, reason: string]> = [
    ["", "it has no command"],
    ["wc {{path}}", "placeholder"],
    ["wc $ARGUMENTS", "placeholder"],
    ["wc $ARG_PATH", "outside of double quotes"],
    ["wc \"${ARG_PATH:-x}\"", "outside of double quotes"],
    ["cat \"$(dirname \"$ARG_PATH\")\"", "outside of double quotes"],
    ["wc \"$ARG_PAHT\"", "which no property of the schema sets"],
    ["echo $((ARG_PATH))", "uses (("],
    ["echo \"$((ARG_PATH))\"", "uses (("],
    ["echo \"$[ARG_PATH]\"", "uses $["],
    ["[[ \"$ARG_PATH\" -eq 1 ]]", "uses [["],
    ["[ -v \"$ARG_PATH\" ]", "uses [ -v"],
    ["printf -v \"$ARG_PATH\" x", "uses printf -v"],
    ["echo \"${!ARG_PATH}\"", "uses ${!"],
    ["echo \"${x[$ARG_PATH]}\"", "uses ${x[$"],
    ["unset \"$ARG_PATH\"", "uses unset"],
    ["eval \"$ARG_PATH\"", "uses eval"],
    ["true && eval \"$ARG_PATH\"", "uses eval"],
    ["cat <<X\n\"$ARG_PATH\"\nX", "uses <<"],
    ["# don't\nwc \"$ARG_PATH\"", "quotes in a comment"]
  ]
  for (const [command, reason] of invalid) it(`is refused for ${command}`, () => assert.include(why("a.json", file(command)), reason))

  it("is refused with an invalid name, property or field", () => {
    assert.include(why("Bad Name.json", file("ls")), "lower-case")
    assert.include(why("read_file.json", file("ls")), "built-in")
    assert.include(why("a__b.json", file("ls")), "lower-case")
    assert.include(why("a.json", JSON.stringify({ description: "x", command: "ls", schema: { properties: { "a b": {} } } })), "property")
    assert.include(why("a.json", JSON.stringify({ description: "x", command: "ls", schema: { properties: { "a-b": {}, a_b: {} } } })), "ARG_A_B")
    assert.include(why("a.json", JSON.stringify({ description: "x", command: "ls", env: {} })), "env")
    assert.include(why("a.md", "no frontmatter"), "frontmatter")
  })
})

const hostile: ReadonlyArray<string> = [
  "plain",
  "; touch pwned",
  "$(touch pwned)",
  "`touch pwned`",
  "\"; touch pwned; \"",
  "'; touch pwned; '",
  "a\ntouch pwned",
  "a[$(touch pwned)]",
  "&& touch pwned #",
  "| touch pwned",
  "> pwned",
  "\\",
  "\\\"; touch pwned; \\\"",
  "${IFS}touch${IFS}pwned",
  "$ARG_PATH",
  "*",
  "~",
  "-rf"
]

describe("an argument", () => {
  for (const value of hostile) {
    it(`stays one argument: ${JSON.stringify(value)}`, () => {
      const text = CustomTool.commandLine(tool("./run -- \"$ARG_PATH\" \"x-${ARG_PATH}\" \"$ARG_MAX_DEPTH\""), { path: value, "max-depth": 3 })
      const { argv, faults } = analyse(text)
      // Some texts (a line end) are not judged as plain words; none becomes another command.
      if (argv !== undefined) assert.deepStrictEqual(argv, ["./run", "--", value, `x-${value}`, "3"])
      assert.deepStrictEqual(faults, [])
      assert.strictEqual(analyse(text).parts.length, 1)
      assert.deepStrictEqual(Result.getOrThrow(CustomTool.environment({ path: value, "max-depth": 3 })), { ARG_PATH: value, ARG_MAX_DEPTH: "3" })
    })
  }

  it("is judged where it stands: as an option, a file, a redirection", () => {
    assert.strictEqual(CustomTool.commandLine(tool("cat \"$ARG_PATH\""), { path: "/etc/shadow" }), "cat \"/etc/shadow\"")
    assert.strictEqual(CustomTool.commandLine(tool("cat \"$ARG_PATH\""), {}), "cat \"\"")
    assert.strictEqual(CustomTool.commandLine(tool("sh -c 'cat \"$ARG_PATH\"'"), { path: "x" }), "sh -c 'cat \"$ARG_PATH\"'")
  })

  it("with a NUL, or too long, is refused; its variable has no name that a program obeys", () => {
    assert.isTrue(Result.isFailure(CustomTool.environment({ path: "a\0b" })))
    assert.isTrue(Result.isFailure(CustomTool.environment({ path: "a".repeat(200_000) })))
    assert.deepStrictEqual(Result.getOrThrow(CustomTool.environment({ PATH: "x", "a=b": "y", LD_PRELOAD: "z", list: [1, "a"] })), {
      ARG_PATH: "x",
      ARG_LD_PRELOAD: "z",
      ARG_LIST: "[1,\"a\"]"
    })
  })
})

describe("a plugin's manifest", () => {
  const problem = (fields: object) => Result.match(PluginManifest.parse(JSON.stringify(fields)), { onFailure: (message) => message, onSuccess: () => "valid" })

  it("names parts within the plugin, besides the usual ones", () => {
    const { commands, hooks, module } = Result.getOrThrow(PluginManifest.parse(JSON.stringify({ name: "a", commands: ["./x/", "./y.md"], hooks: { Stop: [] }, module: "./i.mjs" })))
    assert.deepStrictEqual([commands, hooks, module], [["commands", "x", "y.md"], ["hooks/hooks.json", { Stop: [] }], "i.mjs"])
  })

  for (const path of ["../x", "./a/../../x", "/etc/passwd", "C:\\x", "a\\b", "./", "", "a//b", "a/./b", "a\u202eb", `${"a/".repeat(300)}b`]) {
    it(`is refused for the path ${JSON.stringify(path.slice(0, 20))}`, () => {
      for (const field of ["commands", "agents", "skills", "tools", "hooks", "mcpServers"]) assert.include(problem({ name: "a", [field]: [path] }), "not within the plugin")
      assert.notStrictEqual(problem({ name: "a", module: path }), "valid")
    })
  }

  it("is refused with another name than letters, digits and hyphens, and when it is no object or too long", () => {
    for (const name of ["", "A", "a b", "../a", "a/b", "a--b", "-a", "__proto__", "a".repeat(41)]) assert.include(problem({ name }), "its name")
    assert.notStrictEqual(problem([]), "valid")
    assert.notStrictEqual(problem({ name: "a", hooks: 7 }), "valid")
    assert.include(Result.match(PluginManifest.parse(`{"name":"a"${" ".repeat(70_000)}}`), { onFailure: String, onSuccess: () => "valid" }), "longer than")
  })
})
