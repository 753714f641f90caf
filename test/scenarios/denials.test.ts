/** A call that a rule denies in `-p`: which rule, where it is, and what would allow it. */
import { describe, expect, it } from "@effect/vitest"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Process from "../cli/support/Process.ts"

const push = { calls: [{ name: "run_command", params: { command: "git push origin" } }] }

describe("a denial", () => {
  it("names the rule of a settings file, and how to allow the call", async () => {
    await using place = Process.scene()
    const file = join(place.root, "home", "config.jsonc")
    mkdirSync(join(place.root, "home"), { recursive: true })
    writeFileSync(file, "{\n  \"permissions\": {\n    \"deny\": [\"Bash(git push:*)\"]\n  }\n}\n")
    const ended = await Process.run(place, ["-p", "--model", place.script(push, { text: "Done." }), "Push"])
    expect(ended).toMatchObject({ code: 0, stdout: "Done.\n" })
    expect(ended.stderr).toBe(`dacapo: Denied: the rule Bash(git push:*) denies git push origin. To allow it, remove that rule from ${file}:3; no allow rule overrides it.\n`)
  })

  it("names the flag, and the flag that would allow a call that no rule allows", async () => {
    await using place = Process.scene()
    const publish = { calls: [{ name: "run_command", params: { command: "npm publish" } }] }
    const ended = await Process.run(place, ["-p", "--model", place.script(push, publish, { text: "Done." }), "--disallowedTools", "Bash(git push:*)", "--", "Push"])
    expect(ended).toMatchObject({ code: 0, stdout: "Done.\n" })
    expect(ended.stderr).toContain("remove that rule from --disallowedTools, or the agent profile")
    expect(ended.stderr).toContain("To allow it, add --allowedTools \"Bash(npm publish)\".")
  })

  it("of a mode names the mode, and the rule that would allow the call", async () => {
    await using place = Process.scene()
    const publish = { calls: [{ name: "run_command", params: { command: "npm publish" } }] }
    const run = (mode: string) => Process.run(place, ["-p", "--model", place.script(publish, { text: "Done." }), "--permission-mode", mode, "Publish"])
    expect((await run("dontAsk")).stderr).toContain("To allow it, add a rule that allows it, or choose another permission mode.")
    expect((await run("plan")).stderr).toContain("To allow it, leave plan mode.")
  })

  it("by an ask rule says to remove that rule, which no allow rule overrides", async () => {
    await using place = Process.scene()
    mkdirSync(join(place.root, "home"), { recursive: true })
    writeFileSync(join(place.root, "home", "config.jsonc"), JSON.stringify({ permissions: { ask: ["Bash(touch:*)"] } }))
    const model = place.script({ calls: [{ name: "run_command", params: { command: "touch x" } }] }, { text: "Done." })
    const run = (...flags: ReadonlyArray<string>) => Process.run(place, ["-p", "--model", model, ...flags, "Touch"])
    const sentence = "dacapo: Denied run touch x (the rule Bash(touch:*) requires approval for touch x). " +
      "To allow it, remove that rule from the permission rules; no allow rule overrides it.\n"
    expect((await run()).stderr).toBe(sentence)
    expect((await run("--allowedTools", "Bash(touch x)")).stderr).toBe(sentence)
    expect((await run("--permission-mode", "dontAsk")).stderr).toContain("To allow it, remove that rule, or choose another permission mode.")
  })

  it("of a file outside says how to open its folder", async () => {
    await using place = Process.scene()
    const file = join(place.root, "notes.txt")
    writeFileSync(file, "mine\n")
    const run = (...flags: ReadonlyArray<string>) =>
      Process.run(place, ["-p", "--model", place.script({ calls: [{ name: "read_file", params: { path: file } }] }, { text: "Done.", expect: flags.length === 0 ? {} : { lastResult: "mine" } }), ...flags, "--", "Read"])
    expect((await run()).stderr).toContain(`${file} is outside the workspace). To allow it, add its folder with --add-dir.`)
    expect(await run("--add-dir", place.root)).toMatchObject({ code: 0, stdout: "Done.\n", stderr: "" })
  })

  it("of what is protected or not public says what would allow it, or that nothing does", async () => {
    await using place = Process.scene()
    const said = async (name: string, params: object, ...flags: ReadonlyArray<string>) =>
      (await Process.run(place, ["-p", "--model", place.script({ calls: [{ name, params }] }, { text: "Done." }), ...flags, "Go"])).stderr
    expect(await said("write_file", { path: ".git/config", content: "x" })).toBe(
      "dacapo: Denied: .git/config is protected: git runs programs that files in .git name. No rule or permission mode allows it.\n"
    )
    expect(await said("fetch_url", { url: "http://127.0.0.1:3000/" })).toMatch(
      /^dacapo: Denied: \S+ needs a rule that names its host, such as WebFetch\(domain:127\.0\.0\.1:3000\): .+ To allow it, add that rule\.\n$/
    )
    expect(await said("read_file", { path: ".env" })).toBe(
      "dacapo: Denied read .env (.env is protected: environment files often contain secrets). To allow it, add --allowedTools \"Read(./.env)\".\n"
    )
    expect(await said("read_file", { path: ".env" }, "--allowedTools", "Read(./.env)")).toBe("")
  })
})
