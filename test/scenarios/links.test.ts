/** A link in a repository that is not trusted: what it names is judged, not what it is called. */
import { expect, it } from "@effect/vitest"
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
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

it("judges a call again that an earlier one of the same response gave another meaning", async () => {
  await using place = Process.scene()
  const outside = join(place.cwd, "../outside.txt")
  writeFileSync(outside, "mine")
  mkdirSync(join(place.cwd, "a"))
  symlinkSync("../outside.txt", join(place.cwd, "a/ln"))
  writeFileSync(join(place.cwd, "plain.txt"), "plain")
  const command = (command: string) => ({ name: "run_command", params: { command } })
  const model = place.script(
    { calls: [command("mv plain.txt moved.txt"), command("echo x > moved.txt"), command("mv a/ln ln"), command("echo x > ln"), command("cat ln"), { name: "write_file", params: { path: "ln", content: "x" } }] },
    { text: "Done." }
  )
  const ended = await Process.run(place, ["-p", "--output-format", "json", "--permission-mode", "acceptEdits", "--model", model, "Look"])
  expect(JSON.parse(ended.stdout).permission_denials.map(({ tool_input }: { readonly tool_input: { readonly command?: string } }) => tool_input.command ?? "write")).toEqual(["echo x > ln", "cat ln", "write"])
  expect(readFileSync(outside, "utf8")).toBe("mine")
  expect(readFileSync(join(place.cwd, "moved.txt"), "utf8")).toBe("x\n")
  expect(await Process.run(place, ["replay", "latest", "--verify"])).toMatchObject({ code: 0 })
})
