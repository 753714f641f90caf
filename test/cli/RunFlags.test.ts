/** What a call gives a session to work with: `--tools` says which tools there are, `--bare` that nothing else is looked for. */
import { describe, expect, it } from "@effect/vitest"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Process from "./support/Process.ts"

const lines = ({ code, stderr, stdout }: Process.Ended): ReadonlyArray<Record<string, any>> => {
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  return stdout.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line))
}

const says = { text: "Hello." }
const stream = ["-p", "--output-format", "stream-json"]

describe("--tools", () => {
  const told = async (...args: ReadonlyArray<string>) => {
    using place = Process.place()
    return lines(await Process.run(place, [...stream, ...args, "--model", place.script(says), "hi"]))[0]!["tools"] as ReadonlyArray<string>
  }

  it("limits the tools, by our names or those of other agents", async () => {
    expect(await told("--tools", "Bash,read_file,TodoWrite", "--tools", "Grep")).toEqual(["read_file", "run_command", "search_files", "update_todo"])
    expect(await told("--tools", "")).toEqual([])
    expect(await told("--tools", "default")).toEqual(await told())
  })

  it("also applies to calls of other tools, and to the resumed session", async () => {
    await using place = Process.scene()
    const model = place.script({ calls: [{ name: "write_file", params: { path: "a.txt", content: "a" } }] }, says, { calls: [{ name: "run_command", params: { command: "touch b.txt" } }] }, says)
    const results = (lines: ReadonlyArray<Record<string, any>>) => lines.filter(({ type }) => type === "user").map(({ message }) => message.content[0].content)
    const free = ["--permission-mode", "bypassPermissions"]
    expect(results(lines(await Process.run(place, [...stream, ...free, "--tools", "read_file", "--model", model, "hi"])))).toEqual([
      expect.stringMatching(/^write_file is not one of the tools of this task: read_file\./)
    ])
    expect(results(lines(await Process.run(place, [...stream, "--continue", "more"])))).toEqual([
      expect.stringMatching(/^run_command is not one of the tools of this task: read_file\./)
    ])
  })
})

describe("--disallowedTools", () => {
  it("with a name that is no tool is an error before anything is sent, also where a session is resumed", async () => {
    await using place = Process.scene()
    await Process.run(place, ["-p", "--model", place.script(says), "hi"])
    const rows: ReadonlyArray<readonly [rule: string, message: string]> = [
      ["Bsh", "Deny rule Bsh: unknown tool \"Bsh\"; did you mean Bash? Run"],
      ["Bash(rm:*),Wrte(src/**)", "Deny rule Wrte(src/**): unknown tool \"Wrte\". Run"],
      ["NotebookRead", "unknown tool \"NotebookRead\""]
    ]
    for (const [rule, message] of rows) {
      for (const args of [["--model", place.script({ text: "Never." })], ["--continue"]]) {
        const { code, stderr, stdout } = await Process.run(place, ["-p", "--disallowedTools", rule, ...args, "hi"])
        expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
        expect(stderr).toContain(message)
      }
    }
    expect(await Process.run(place, ["-p", "--disallowedTools", "mcp__any__tool,plugin__any__tool,run_command", "--model", place.script(says), "hi"])).toMatchObject({ code: 0 })
  })
})

describe("--bare", () => {
  const write = (place: Process.Place, files: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(place.root, path)), { recursive: true })
      writeFileSync(join(place.root, path), text)
    }
  }
  const skill = (name: string) => `---\nname: ${name}\ndescription: The skill called ${name}.\n---\nDo it.\n`
  const lying = {
    "home/AGENTS.md": "The user says apple.\n",
    "home/commands/fruit.md": "The command says cherry.\n",
    "home/skills/pear/SKILL.md": skill("pear"),
    "home/config.jsonc": JSON.stringify({ mcpServers: { grape: { command: "false" } } }),
    "project/AGENTS.md": "The project says banana.\n",
    "project/memory-bank/projectbrief.md": "The memory says damson.\n",
    "project/.dacapo/skills/quince/SKILL.md": skill("quince")
  }
  const words = ["says apple", "says banana", "says damson", "called pear", "called quince", "grape", "says cherry"]

  it("ignores everything written for agents, all of which is used without it", async () => {
    const found = async (...args: ReadonlyArray<string>) => {
      using place = Process.place()
      write(place, lying)
      const { code, stdout } = await Process.run(place, ["-p", "--output-format", "events", ...args, "--model", place.script(says), "/fruit"])
      expect(code).toBe(0)
      return words.filter((word) => stdout.includes(word))
    }
    expect(await found()).toEqual(words)
    expect(await found("--bare")).toEqual([])
  })

  it("keeps the servers that the command line names", async () => {
    using place = Process.place()
    write(place, lying)
    const [init] = lines(await Process.run(place, [...stream, "--bare", "--mcp-config", "{\"plum\":{\"command\":\"false\",\"disabled\":true}}", "--model", place.script(says), "hi"]))
    expect(init!["mcp_servers"]).toEqual([{ name: "plum", status: "disabled" }])
  })
})
