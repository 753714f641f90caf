/** A formatter and a check that the user set, through the command line. */
import { describe, expect, it } from "@effect/vitest"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { SessionEvent } from "../../src/domain/session/SessionEvent.ts"
import * as Message from "../../src/domain/message/Message.ts"
import * as Process from "../cli/support/Process.ts"

const settings = {
  afterEdit: { "*.txt": { format: "sed -i 's/[ ]*$//'", check: "grep -n bad {file} && exit 1 || echo fine" } },
  permissions: { allow: ["Bash(sed -i:*)", "Bash(grep:*)", "Bash(echo:*)", "Bash(exit:*)"] }
}

const results = (stdout: string): ReadonlyArray<string> =>
  stdout.split("\n").flatMap((line) => {
    const event = line.startsWith("{\"v\"") ? (JSON.parse(line) as SessionEvent).event : undefined
    return event?._tag === "ToolFinished" ? [Message.text(event.outcome.content)] : []
  })

const write = (content: string) => ({ calls: [{ name: "write_file", params: { path: "a.txt", content } }] })
const run = (place: Process.Place, folder: string, mode = "bypassPermissions") => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "config.jsonc"), JSON.stringify(settings))
  const model = place.script(write("good   \n"), write("bad\n"), { text: "Done." })
  return Process.run(place, ["-p", "--model", model, "--output-format", "events", "--permission-mode", mode, "Write"])
}

describe("after an edit", () => {
  it("the user's formatter changes the file, the check speaks, and the model sees both", async () => {
    await using place = Process.scene()
    const { code, stdout } = await run(place, join(place.root, "home"))
    const [first, second] = results(stdout)
    expect(first).toMatch(/^Created a\.txt \(1 line\)\.\n?The formatter changed a\.txt[^]*\n-good {3}\n\+good\n[^]*The check passed: \$ grep -n bad a\.txt/)
    expect(second).toMatch(/The check failed:\n\$ grep -n bad a\.txt && exit 1 \|\| echo fine\n\(exit code 1\)\n1:bad$/)
    expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("bad\n")
    expect(code).toBe(0)
  })

  it("what a repository asks for does not run", async () => {
    await using place = Process.scene()
    const { code, stdout } = await run(place, join(place.cwd, ".dacapo"))
    expect(results(stdout)[0]).toBe("Created a.txt (1 line).")
    expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("bad\n")
    expect(code).toBe(0)
  })
})
