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
  it("is active with the content that the user trusted, and passes arguments that nothing runs", { timeout: 60_000 }, async () => {
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
})
