/** A link in a repository that is not trusted: what it names is judged, not what it is called. */
import { expect, it } from "@effect/vitest"
import { readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Process from "../cli/support/Process.ts"

it("asks before a secret is read or written through a link, and replays the same", async () => {
  await using place = Process.scene()
  writeFileSync(join(place.cwd, ".env"), "PASSWORD=letmein\n")
  symlinkSync(".env", join(place.cwd, "notes.txt"))
  const model = place.script(
    { calls: [{ name: "read_file", params: { path: "notes.txt" } }, { name: "write_file", params: { path: "notes.txt", content: "gone" } }] },
    { text: "I may not." }
  )
  const ended = await Process.run(place, ["-p", "--output-format", "json", "--permission-mode", "acceptEdits", "--model", model, "Look"])
  expect(JSON.parse(ended.stdout).permission_denials).toHaveLength(2)
  expect(ended.stdout).not.toContain("letmein")
  expect(readFileSync(join(place.cwd, ".env"), "utf8")).toBe("PASSWORD=letmein\n")
  expect(await Process.run(place, ["replay", "latest", "--verify"])).toMatchObject({ code: 0 })
})
