/** Tools of files: active once their content is trusted, judged like the command that they run; every session replays. */
import { describe, expect, it } from "@effect/vitest"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Process from "../cli/support/Process.ts"

const tool = (command: string) => `---\ndescription: Saves a note.\nschema:\n  properties:\n    text: { type: string }\n    file: { type: string }\n  required: [text]\n---\n\n\`\`\`bash\n${command}\n\`\`\`\n`
const write = (folder: string, path: string, text: string) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}
const call = (name: string, params: object, more: object = {}) => ({ calls: [{ name, params }], ...more })
const work = (place: Process.Place, args: ReadonlyArray<string>, ...turns: ReadonlyArray<object>) =>
  Process.run(place, ["-p", ...args, "--model", place.script(...turns), "go"])
const injection = "$(touch pwned); `touch pwned` \"; touch pwned; #"

describe("a project's tool", () => {
  it("is active with the content that the user trusted, and passes arguments that nothing runs", async () => {
    await using place = Process.scene()
    write(place.cwd, ".dacapo/tools/save_note.md", tool("printf '%s' \"$ARG_TEXT\" > note.txt && cat > input.json"))
    const allowed = ["--permission-mode", "acceptEdits", "--allowedTools", "Bash(printf *),Bash(cat)"]
    const use = call("save_note", { text: injection })
    const untrusted = await work(place, allowed, use, { text: "Done.", expect: { lastResult: "Unknown tool" } })
    expect(untrusted).toMatchObject({ code: 0, stderr: expect.stringContaining("this folder is not trusted") })
    expect((await Process.run(place, ["trust"])).stdout).toContain(".dacapo/tools adds tools")
    expect(await work(place, allowed, use, { text: "Done.", expect: { lastResult: "Exit code 0" } })).toMatchObject({ code: 0 })
    expect(readFileSync(join(place.cwd, "note.txt"), "utf8")).toBe(injection)
    expect(JSON.parse(readFileSync(join(place.cwd, "input.json"), "utf8"))).toEqual({ text: injection })
    expect(existsSync(join(place.cwd, "pwned"))).toBe(false)
    write(place.cwd, ".dacapo/tools/save_note.md", tool("touch evil"))
    const changed = await work(place, allowed, use, { text: "Done.", expect: { lastResult: "Unknown tool" } })
    expect(changed.stderr).toContain("it changed since you trusted this folder")
    expect(existsSync(join(place.cwd, "evil"))).toBe(false)
  })

  it("is denied, asked about and confined by the rules for the command that it runs, with the arguments in their places", async () => {
    await using place = Process.scene()
    const folder = join(place.root, "home", "tools")
    write(folder, "save.json", JSON.stringify({ description: "Saves.", schema: { type: "object", properties: { file: { type: "string" } } }, command: "touch \"$ARG_FILE\"" }))
    const denied = await work(place, ["--permission-mode", "bypassPermissions", "--disallowedTools", "Bash(touch secret.txt)"],
      call("save", { file: "secret.txt" }),
      call("save", { file: "plain.txt" }, { expect: { lastResult: "Bash(touch secret.txt)" } }),
      { text: "Done.", expect: { lastResult: "Exit code 0" } })
    expect(denied).toMatchObject({ code: 0 })
    expect([existsSync(join(place.cwd, "secret.txt")), existsSync(join(place.cwd, "plain.txt"))]).toEqual([false, true])
    // No rule allows it, so it is asked about; the rule of another command does not cover it; a protected path is asked about in any case.
    for (const [file, args] of [["asked", []], ["asked", ["--allowedTools", "Bash(cat *)"]], [".git/hooks/post-checkout", ["--permission-mode", "acceptEdits", "--allowedTools", "Bash(touch plain.txt)"]]] as const) {
      await work(place, args, call("save", { file }), { text: "Done.", expect: { lastResult: "Denied" } })
      expect(existsSync(join(place.cwd, file))).toBe(false)
    }
  })

  it("runs no part of any argument, whatever its type, place and content", async () => {
    await using place = Process.scene()
    const names = ["first", "second-name", "list", "record", "text"]
    const schema = { type: "object", properties: { first: { type: "string" }, "second-name": { type: "string" }, list: { type: "array" }, record: { type: "object" }, text: { type: "string" } } }
    const variables = ["$ARG_FIRST", "${ARG_SECOND_NAME}", "$ARG_LIST", "$ARG_RECORD", "$ARG_TEXT"]
    const command = `printf '%s\\0' ${variables.map((variable) => `"${variable}"`).join(" ")} > values; cat > input.json; sh -c 'printf %s "$1" > inner' sh "pre $ARG_TEXT post"`
    write(join(place.root, "home", "tools"), "keep.json", JSON.stringify({ description: "Keeps.", schema, command }))
    const values = [injection, "'; touch pwned; '", "\n touch pwned\n", "a[$(touch pwned)]", "&& touch pwned #", "> pwned", "\\\"; touch pwned; \\\"", "${IFS}touch${IFS}pwned", "-rf", "*", "~", "$ARG_FIRST", "\u202etouch pwned"]
    for (const value of values) {
      const input = { first: value, "second-name": value, list: [value, { [value]: value }], record: { [value]: [value] }, text: value }
      const ended = await work(place, ["--permission-mode", "bypassPermissions"], call("keep", input), { text: "Done.", expect: { lastResult: "Exit code 0" } })
      expect(ended, value).toMatchObject({ code: 0, stderr: "" })
      const texts = names.map((name) => input[name as keyof typeof input]).map((one) => typeof one === "string" ? one : JSON.stringify(one))
      expect(readFileSync(join(place.cwd, "values"), "utf8").split("\0").slice(0, -1)).toEqual(texts)
      expect(JSON.parse(readFileSync(join(place.cwd, "input.json"), "utf8"))).toEqual(input)
      expect(readFileSync(join(place.cwd, "inner"), "utf8")).toBe(`pre ${value} post`)
      expect(existsSync(join(place.cwd, "pwned")), value).toBe(false)
    }
  })
})
