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
})
